"""What a package can add to `kb`: see `pyproject.toml` beside it."""
