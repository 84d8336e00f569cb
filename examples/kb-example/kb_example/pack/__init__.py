"""A knowledge pack: entries in the folders `cases`, `recipes`, `patterns` and `tips` beside this file."""
