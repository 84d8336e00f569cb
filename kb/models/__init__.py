"""Search models other than the built-in one, and the built-in one as a sentence-transformers folder.

Each needs an extra (`semantic`, `models`) and says so where it is missing; nothing here is loaded before it is asked for.
"""
