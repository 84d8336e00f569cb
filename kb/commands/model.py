"""Choose the search model: the built-in one, the semantic one, or a sentence-transformers folder of your own.

Examples:
  kb model use semantic
  kb model use ./all-MiniLM-L6-v2
  kb model use builtin
  kb model show
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kb.commands._console import Common, show
from kb.commands._progress import counted
from kb.errors import KnowledgeError

if TYPE_CHECKING:
    from kb.knowledge.embed import Encoder

PANEL, ORDER = "Upkeep", 8
MEAN_TEXTS = 180  # sentences a language for the means


def _use(
    common: Common,
    model: Annotated[
        str,
        typer.Argument(
            metavar="PATH|builtin|semantic",
            help="A folder that SentenceTransformer(PATH) loads, or the name of a model.",
        ),
    ],
) -> int:
    """Search with another model from now on; every entry is embedded anew first.

    Until that is done, and if it fails, searches use the model they used before. A folder needs the extra `models`
    (sentence-transformers), `semantic` the extra of that name and its model (docs/model-card.md); neither is ever
    downloaded.

    Exit status: 0 chosen, 1 the model cannot be used.

    Examples:
      kb model use ./all-MiniLM-L6-v2     a folder of yours
      kb model use builtin                back to the model that comes with kb
    """
    from kb.knowledge import chosen, store
    from kb.report.catalogue import say
    from kb.report.page import Page

    about: dict[str, Any] = {}
    name = model if model in (chosen.BUILTIN, chosen.SEMANTIC) else chosen.OWN
    with counted(common, f"embedding the entries with {model}") as update:
        if name == chosen.OWN:
            from kb.models.folder import Folder, register

            about = register(Path(model).expanduser(), _sentences())
            encoder: Encoder = Folder(about)
        else:
            encoder = chosen.encoder(name)
        total = len(store.load_entries())
        made = store.ready(encoder, name, None if update is None else lambda done: update(done, done / total))
    if made.where == store.MEMORY:
        raise KnowledgeError(
            "the index for this model fits nowhere: neither the cache nor the temporary folder can be written",
            now="make room, or let KB_INDEX name a file where there is some",
        )
    chosen.choose(name, about)
    text = say("model.chosen", common.lang, name=encoder.name, version=encoder.version, count=made.size)
    document = _document(name, encoder) | {"entries": made.size, "index": made.where}
    show(common, Page(text, note=made.where, lang=common.lang), document)
    return 0


def _show(common: Common) -> int:
    """Print which search model is in use.

    Exit status: 0 printed.

    Examples:
      kb model show
      kb model show --format json
    """
    from kb.knowledge import chosen
    from kb.report.catalogue import say
    from kb.report.page import Page, Table

    name = chosen.name()
    encoder = chosen.encoder(name)
    document = _document(name, encoder)
    heads = tuple(key for key in document if key != "schema")
    table = Table(heads, (tuple(str(document[key]) for key in heads),))
    page = Page(
        say("model.title", common.lang),
        (table,),
        note=say("model.in_use", common.lang, name=name),
        lang=common.lang,
    )
    show(common, page, document)
    return 0


def _document(name: str, encoder: Encoder) -> dict[str, Any]:
    return {
        "schema": "kb.model/1",
        "model": name,
        "name": encoder.name,
        "version": encoder.version,
        "dimensions": encoder.dimensions,
    }


def _sentences() -> list[str]:
    """Titles of entries in their three languages: they say the same, so their means differ by language alone."""
    from kb.knowledge.store import load_entries

    entries = [entry for entry in load_entries().values() if entry.title.zh and entry.title.ja]
    step = max(1, len(entries) // MEAN_TEXTS)
    return [text for entry in entries[::step] for text in (entry.title.en, entry.title.zh, entry.title.ja)]


COMMANDS = {"use": _use, "show": _show}
