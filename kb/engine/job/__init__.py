"""A job of many ranks, read rank by rank: split, summarise each, merge.

`rank.summarise` is a pure function of one rank folder with a bounded result, `merge.Merged` adds the results up in the
order of the ranks. Who calls the function, this process (`here`) or workers (`cluster`), cannot show in the answer.
"""
