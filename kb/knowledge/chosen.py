"""Which search model is used: the built-in one unless another was chosen by `kb model use`, `--model` or `KB_MODEL`.

The choice lies in the user's data folder (`$XDG_DATA_HOME/kb/model.json`). Vectors of different models are never mixed: each has
an index of its own.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kb.errors import KnowledgeError, SourceError, UsageError
from kb.knowledge import embed

if TYPE_CHECKING:
    from kb.knowledge.embed import Encoder

BUILTIN, SEMANTIC, OWN = "builtin", "semantic", "own"
NAMES = (BUILTIN, SEMANTIC, OWN)
FORMAT = 1


def name(asked: str = "") -> str:
    """The model to use: what is asked for, else `KB_MODEL`, else the choice, else the built-in one.

    Raises:
        UsageError: there is no model of that name.
        KnowledgeError: the file with the choice is damaged.
    """
    given = asked or os.environ.get("KB_MODEL", "")
    if given and given not in NAMES:
        raise UsageError(
            f"no search model {given!r}",
            where="--model" if asked else "KB_MODEL",
            now=f"one of {', '.join(NAMES)}; a folder is chosen with `kb model use PATH`",
        )
    if given:
        return given
    found: str = choice().get("model", BUILTIN)
    return found


def encoder(model: str) -> Encoder:
    """The model of that name, not yet loaded where it is a large one.

    Raises:
        KnowledgeError: it is not there.
    """
    if model == SEMANTIC:
        from kb.knowledge.joined import Joined
        from kb.models import semantic

        return Joined(embed.Embedder(embed.shipped_model()), semantic.Semantic(semantic.folder()))
    if model == OWN:
        from kb.models.folder import Folder

        about = choice()
        if "path" not in about:
            raise KnowledgeError("no model of your own was chosen", now="choose one: kb model use PATH")
        return Folder(about)
    return embed.Embedder(embed.shipped_model())


def place() -> Path:
    """The file with the choice.

    Raises:
        SourceError: there is no home folder.
    """
    data = os.environ.get("XDG_DATA_HOME", "")
    try:
        folder = Path(data) if os.path.isabs(data) else Path.home() / ".local" / "share"  # noqa: PTH117
    except RuntimeError:
        raise SourceError(
            "there is no home folder to keep the choice in", now="Set XDG_DATA_HOME to a folder."
        ) from None
    return folder / "kb" / "model.json"


def choice() -> dict[str, Any]:
    """What was chosen, empty when nothing was.

    Raises:
        KnowledgeError: the file is damaged.
    """
    try:
        path = place()
        text = path.read_text(encoding="utf-8")
    except (OSError, SourceError):
        return {}
    try:
        found: dict[str, Any] = json.loads(text)
        if found["format"] != FORMAT or found["model"] not in NAMES:
            raise ValueError("made by another version of kb")
        return found
    except (ValueError, KeyError, TypeError) as fault:
        raise KnowledgeError(
            f"the chosen search model cannot be read: {fault}",
            where=str(path),
            now="choose again, for instance `kb model use builtin`",
        ) from fault


def choose(model: str, about: dict[str, Any] | None = None) -> None:
    """Write the choice whole or not at all; for the built-in model the file goes.

    Raises:
        SourceError: it cannot be written.
    """
    path = place()
    try:
        if model == BUILTIN:
            path.unlink(missing_ok=True)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(f".{path.name}.{os.getpid()}")
        fresh.write_text(json.dumps({"format": FORMAT, "model": model, **(about or {})}), encoding="utf-8")
        fresh.replace(path)
    except OSError as fault:
        raise SourceError(
            f"the choice cannot be written: {fault.strerror or fault}",
            where=str(path),
            now="Let XDG_DATA_HOME name a folder you may write to.",
        ) from fault
