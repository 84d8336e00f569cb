"""Large tables by pandas and numpy: the same answer as line by line, in a third of the time.

A package of its own, so that small profiles never pay for importing the two.
"""
