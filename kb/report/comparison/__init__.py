"""Views of a `kb.comparison.Comparison`: one module a format beside this one; adding a file adds a format."""
