"""A page inside a notebook: a frame of its own, so that neither its style nor its text reaches the notebook."""

from __future__ import annotations

from kb.report.sheet import esc

HEIGHT = 640  # pixels of a frame; a longer page is scrolled in it


def framed(page: str, title: str, *, height: int = HEIGHT) -> str:
    """A whole HTML page as a frame that may run no script, send no form and reach nothing around it.

    `page` is HTML; here it becomes the value of an attribute, and so cannot end the frame.
    """
    whole = page.replace("&", "&amp;").replace('"', "&quot;")
    return (
        f'<iframe sandbox srcdoc="{whole}" title="{esc(title)}" '
        f'style="width:100%;height:{height}px;border:1px solid #8884;border-radius:6px"></iframe>'
    )
