"""A made-up machine around the stand-in: folders of CANN, a device, a program to profile."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kb.engine.collect import Collected, Environment, Event, Limits, Options, Plan, collect, look_around, plan

STANDIN = Path(__file__).resolve().parents[2] / "standin"
FAST = Limits(
    interrupt_grace_s=5.0,
    terminate_grace_s=0.2,
    abort_grace_s=0.2,
    drain_s=0.2,
    tick_s=0.02,
    progress_s=0.02,
)


@dataclass
class Machine:
    """`root` stands for /, `work` is the working folder; every process started here carries `mark`."""

    root: Path
    work: Path
    variables: dict[str, str]
    mark: str
    events: list[Event] = field(default_factory=list)

    def play(self, scenario: str = "ok", **settings: object) -> None:
        """Choose what the stand-in does; settings are its variables without prefix, in lower case."""
        self.variables["STANDIN_SCENARIO"] = scenario
        for name, value in settings.items():
            self.variables[f"STANDIN_{name.upper()}"] = str(value)

    def look(self) -> Environment:
        return look_around(self.variables, cwd=self.work, root=self.root)

    def program(self, name: str, text: str) -> Path:
        path = self.work / name
        path.write_text(text)
        path.chmod(0o755)
        return path

    def plan(self, target: tuple[str, ...] = ("./add_custom",), **options: Any) -> Plan:
        options.setdefault("kernel_name", "add_custom*")
        return plan(Options(target, **options), self.look())

    def collect(
        self, target: tuple[str, ...] = ("./add_custom",), *, limits: Limits = FAST, **options: Any
    ) -> Collected:
        return collect(self.plan(target, **options), progress=self.events.append, limits=limits)

    def processes(self) -> list[str]:
        """Living processes that were started from here, other than this one."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if self.mark.encode() in (folder / "environ").read_bytes():
                    found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode())
            except OSError:
                continue
        return found


def without(environment: Environment, **changes: Any) -> Environment:
    """The environment with something else in it."""
    return replace(environment, **changes)


def is_root() -> bool:
    return os.geteuid() == 0
