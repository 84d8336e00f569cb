"""Plain sentences for counting pieces and for copying the teachers: English docstrings of the packages that training
needs anyway, and any file of sentences the user adds (`--corpus`, one a line, any of the three languages)."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import json
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

PACKAGES = ("torch", "transformers", "sklearn", "scipy", "numpy", "networkx", "sentence_transformers")
LANGUAGES = ("en", "zh", "ja")
_NEAR = re.compile(
    r"\b(gpu|cuda|kernel|tensor|inference|latency|throughput|memory|cache|compil|onnx|training|profil|matrix|vector"
    r"|attention|transformer|llm|quantiz|bandwidth|pipeline|distributed|gradient|optimizer|convolution|neural"
    r"|accelerat|performance|speed|fast|async|stream|schedul|thread|core|tokeniz|embedding|index|buffer|graph"
    r"|operator|parallel|batch|sampling|detection|image|decode|format|layout|host|device|driver|hardware|npu)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[A-Z][\x20-\x7e]{29,239}")
_MARKUP = re.compile(r"-----|>>>|:class:|:func:|Args:|Returns:|\[`|\]\(|`")


def language(text: str) -> str:
    """Language by script: kana means Japanese, Han without kana Chinese, anything else English."""
    if re.search("[\u3040-\u30ff]", text):
        return "ja"
    return "zh" if re.search("[\u4e00-\u9fff]", text) else "en"


def remembered(path: Path, packages: Sequence[str] = PACKAGES) -> list[str]:
    """Docstrings as `docstrings` finds them, kept in a file for as long as the packages have these versions."""
    versions = {name: importlib.import_module(name).__version__ for name in packages}
    if path.is_file():
        stored = json.loads(path.read_text(encoding="utf-8"))
        if stored["versions"] == versions:
            return list(stored["sentences"])
    found = docstrings(packages)
    path.write_text(json.dumps({"versions": versions, "sentences": found}), encoding="utf-8")
    return found


def docstrings(packages: Iterable[str] = PACKAGES) -> list[str]:
    """Paragraphs of the docstrings of installed packages, in a fixed order, without repeats."""
    found: dict[str, None] = {}
    for package in packages:
        spec = importlib.util.find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            continue
        for path in sorted(Path(next(iter(spec.submodule_search_locations))).rglob("*.py")):
            if "test" not in path.name:
                found.update(dict.fromkeys(_paragraphs(path)))
    return list(found)


def _paragraphs(path: Path) -> Iterator[str]:
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (SyntaxError, UnicodeDecodeError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Module)):
            for paragraph in re.split(r"\n\s*\n", ast.get_docstring(node) or ""):
                text = " ".join(paragraph.split())
                if _SENTENCE.fullmatch(text):
                    yield text


def read(path: Path) -> list[str]:
    """Sentences of a user's file, one a line, without repeats."""
    lines = (line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    return list(dict.fromkeys(line for line in lines if len(line) > 15))


def choose(sentences: Iterable[str], english: int, chinese: int, japanese: int, seed: int) -> list[str]:
    """Sentences near the field for the teachers: that many of each language at most."""
    by_language: dict[str, list[str]] = {name: [] for name in LANGUAGES}
    for text in sentences:
        by_language[language(text)].append(text)
    by_language["en"] = [
        t for t in by_language["en"] if _NEAR.search(t) and len(t) < 220 and not _MARKUP.search(t)
    ]
    by_language["zh"] = [t for t in by_language["zh"] if len(re.findall("[\u4e00-\u9fff]", t)) >= 5]
    by_language["ja"] = [t for t in by_language["ja"] if len(re.findall("[\u3040-\u30ff]", t)) >= 3]
    rng = random.Random(seed)
    chosen = []
    for name, limit in zip(LANGUAGES, (english, chinese, japanese), strict=True):
        rng.shuffle(by_language[name])
        chosen += by_language[name][:limit]
    return chosen
