"""The knowledge itself, as files: entries, chips, operator tables, the search model."""
