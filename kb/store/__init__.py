"""The run store: every report that was made, in one SQLite file of the user's."""
