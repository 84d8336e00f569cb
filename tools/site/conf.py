"""Configuration of Sphinx for the site; `python -m tools.site.build` gives it the pages."""

from __future__ import annotations

project = "kb"
html_title = "kb"
root_doc = "docs/index"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 4
# Entries and answers that are cut open with an ellipsis or hold pseudo-code are no faults of a page.
suppress_warnings = ["misc.highlighting_failure"]
smartquotes = False  # options begin with two hyphens, and stay so
html_theme = "furo"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_last_updated_fmt = None
html_theme_options = {"navigation_with_keys": True}
