"""`kb formats` prints the registry."""

from __future__ import annotations

import json
from typing import Any

from kb.engine.readers import readers


def test_every_reader_is_listed(kb: Any) -> None:
    done = kb("formats", "--format", "json")
    data = json.loads(done.out)
    assert done.status == 0 and data["schema"] == "kb.formats/1"
    assert {item["name"]: item["title"] for item in data["formats"]} == {r.NAME: r.TITLE for r in readers()}
    assert {item["name"] for item in data["archives"]} == {"zip", "tar", "gzip"}
    assert all(item["now"] for item in data["refused"])
    ranks = [item["rank"] for item in data["formats"] if item["family"] == "job"]
    assert ranks == sorted(ranks, reverse=True) and len(set(ranks)) == len(ranks)


def test_the_page_names_them_in_every_language(kb: Any) -> None:
    for lang in ("en", "zh", "ja"):
        text = kb("formats", "--lang", lang).out
        assert all(reader.NAME in text for reader in readers())
