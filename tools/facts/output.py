"""Writing without taking anything away: a file that was edited by hand stays, unless asked to be made anew."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(slots=True)
class Output:
    """Where files go; `kept` are those that differ from what the facts give and were left alone."""

    data: Path
    anew: bool = False
    written: int = 0
    same: int = 0
    kept: list[Path] = field(default_factory=list)

    def put(self, name: str, text: str) -> None:
        """Write one file below the data folder, or keep the edited one."""
        path = self.data / name
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            self.same += 1
        elif path.is_file() and not self.anew:
            self.kept.append(path)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            self.written += 1
