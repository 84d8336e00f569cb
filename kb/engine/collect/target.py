"""What the user wants profiled: a program, a `--config` JSON of msopprof, or something that is only
estimated.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from kb.engine.collect.environment import Environment
from kb.errors import SourceError, UsageError

Kind = Literal["app", "config", "onnx", "operators"]
_LARGEST_JSON = 4 * 1024 * 1024
_INTERPRETER = re.compile(r"(python|pypy|bash|sh|dash|zsh|perl|ruby|lua)[\d.]*")
_SCRIPT = (".py", ".sh", ".pl", ".rb", ".lua")
_ODD = re.compile(r"[^A-Za-z0-9_.-]+")


@dataclass(frozen=True, slots=True)
class Target:
    """`argv` as it will be run (a bare name in the working folder gets `./`), `name` for folders.

    `config_mode` is the `mode` inside a config JSON ("onboard" or "ca"), None when it has none.
    """

    kind: Kind
    argv: tuple[str, ...]
    name: str
    config_mode: str | None = None


def resolve_target(words: tuple[str, ...], environment: Environment) -> Target:
    """Find out what the target is, by content.

    Raises:
        UsageError: it does not exist, is no program, or is an existing profile.
        SourceError: it is JSON, but damaged or of no kind that `kb` knows.
    """
    path = environment.cwd / words[0]
    if path.is_file() and _looks_like_json(path):
        return _json_target(words, path)
    if path.is_file() and path.suffix.lower() == ".onnx":
        return Target("onnx", words, _clean(path.stem))
    argv = (_program(words[0], path, environment), *words[1:])
    _check_script(argv, environment)
    return Target("app", argv, _name_of(argv))


def _program(word: str, path: Path, environment: Environment) -> str:
    if path.is_dir():
        raise UsageError(
            "this is a folder, not a program", where=word, now=f"For an existing profile: kb advise {word}"
        )
    if "/" not in word and shutil.which(word, path=environment.path):
        return word
    if not path.is_file() and path.suffix.lower() == ".onnx":
        raise UsageError("no such file", where=word, now="give the path of an .onnx file")
    if not path.is_file():
        raise UsageError(
            "this program does not exist",
            where=word,
            now=f"Looked in {environment.cwd} and on PATH. Give the path of the executable.",
        )
    if not os.access(path, os.X_OK):
        raise UsageError("this file is not executable", where=word, now=_how_to_run(word, path))
    return word if "/" in word else f"./{word}"


def _how_to_run(word: str, path: Path) -> str:
    if path.suffix == ".py":
        return f"Run it through Python: kb profile-and-advise -- python3 {word}"
    return f"chmod u+x {word}, if it is a program; for an existing profile: kb advise {word}"


def _check_script(argv: tuple[str, ...], environment: Environment) -> None:
    """An interpreter starts even without its script: better to say so before the profiler hides it."""
    if not _INTERPRETER.fullmatch(Path(argv[0]).name) or len(argv) < 2 or argv[1].startswith("-"):
        return
    if Path(argv[1]).suffix in _SCRIPT and not (environment.cwd / argv[1]).is_file():
        raise UsageError(
            "this script does not exist", where=argv[1], now=f"Looked in {environment.cwd}. Check the path."
        )


def _name_of(argv: tuple[str, ...]) -> str:
    if _INTERPRETER.fullmatch(Path(argv[0]).name):
        scripts = [word for word in argv[1:] if Path(word).suffix in _SCRIPT]
        if scripts:
            return _clean(Path(scripts[0]).stem)
        if "-m" in argv[1:-1]:
            return _clean(argv[argv.index("-m") + 1])
    return _clean(Path(argv[0]).stem or Path(argv[0]).name)


def _clean(name: str) -> str:
    """A name safe in a folder name, an option value and a shell."""
    return _ODD.sub("_", name).strip("._-")[:40] or "run"


def _looks_like_json(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(256).lstrip()[:1] in (b"{", b"[")
    except OSError:
        return False


def _json_target(words: tuple[str, ...], path: Path) -> Target:
    content = _read_json(path, words[0])
    first = content[0] if isinstance(content, list) and content else content
    if isinstance(first, dict):
        if "kernel_path" in first:
            if len(words) > 1:
                raise UsageError(
                    "a config JSON takes no program arguments",
                    where=words[1],
                    now="The JSON itself holds the test case; leave the arguments out.",
                )
            mode = first.get("mode")
            return Target("config", words, _clean(path.stem), mode if isinstance(mode, str) else None)
        if "operator" in first or "operators" in first:
            return Target("operators", words, _clean(path.stem))
    raise SourceError(
        "this JSON is neither a config of msopprof (kernel_path) nor operators (operator, operators)",
        where=words[0],
        now="Give one of these, an executable, or an ONNX model.",
    )


def _read_json(path: Path, word: str) -> Any:
    try:
        if path.stat().st_size > _LARGEST_JSON:
            raise SourceError(
                f"larger than {_LARGEST_JSON // 1024**2} MiB", where=word, now="A config JSON is a few KB."
            )
        return json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as fault:
        raise SourceError(
            f"damaged JSON: {fault.msg}", where=f"{word}:{fault.lineno}:{fault.colno}", now="Mend the file."
        ) from fault
    except (
        OSError,
        ValueError,
        RecursionError,
    ) as fault:  # ValueError: no UTF-8, or a number of thousands of digits
        raise SourceError(f"cannot be read as JSON: {fault}", where=word, now="Check the file.") from fault
