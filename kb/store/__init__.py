"""The run store: every report that was made, in one SQLite file of the user's. sqlite-utils is used here alone."""
