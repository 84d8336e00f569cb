"""Questions in words, answered by named queries.

`words` finds the concepts and values in a question (`concepts.tsv`, `metrics.tsv`), `intents` knows which questions
there are (`intents.tsv`, one file of SQL each below `sql/`), `understand` chooses one or refuses, `answer` asks the
store. No text of a user's ever becomes SQL: it is chosen by name, and values are bound as parameters.
"""
