"""How good the advice is: inputs whose right answer is known, and scores over them.

Four sources of cases: recipes' own profiles (`selftest`), real captures with a known remedy (`real`), model profiles
with planted problems (`planted`) and kernels with nothing wrong (`healthy`). `advice` runs them and counts.
"""
