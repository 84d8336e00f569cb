"""Time of the host by API, added up from whichever export holds it: what to say of it.

The levels of an export contain each other (acl calls runtime), so shares are taken within one level.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kb.addition import plain_sum
from kb.engine.readers.words import clean
from kb.model import Measure, Notice
from kb.units import us

MOST_APIS = 20_000
SHOWN = 3
LEVELS = ("acl", "runtime", "node", "model")  # outermost first
# Once a process, not once a step: they would hide what the host does while it works.
_SETUP = (
    "aclrtresetdevice", "aclrtsetdevice", "aclinit", "aclfinalize", "aclrtcreatestream", "aclrtdestroystream",
    "aclrtcreatecontext", "aclrtdestroycontext", "aclrtbinaryload", "aclrtbinaryunload", "aclmdlload", "aclmdlunload",
    "acl_profiling",
)  # fmt: skip


@dataclass
class HostCalls:
    """(level, API) to [us, calls]."""

    origin: str = ""
    apis: dict[tuple[str, str], list[float]] = field(default_factory=dict)

    def add(self, level: str, name: str, spent_us: float, calls: float) -> None:
        """Add up `calls` calls that took `spent_us` together."""
        key = (level, name)
        if key in self.apis or len(self.apis) < MOST_APIS:
            sums = self.apis.setdefault(key, [0.0, 0.0])
            sums[0] += spent_us
            sums[1] += calls

    def level(self) -> dict[str, tuple[float, float]]:
        """APIs of the outermost level there is, set-up and tear-down left out."""
        for wanted in LEVELS:
            found = {
                name: (spent, calls)
                for (level, name), (spent, calls) in self.apis.items()
                if level == wanted and not name.casefold().startswith(_SETUP)
            }
            if found:
                return found
        return {}


def counters(calls: HostCalls) -> dict[str, Measure]:
    """host_sync_share and host_compile_share, where the export has acl calls."""
    found = calls.level()
    total = plain_sum(spent for spent, _ in found.values())
    if not total or not any(level == LEVELS[0] for level, _ in calls.apis):
        return {}
    waited = plain_sum(spent for name, (spent, _) in found.items() if "synchronize" in name.casefold())
    compiled = plain_sum(spent for name, (spent, _) in found.items() if "compile" in name.casefold())
    where = f"{calls.origin}: %s acl calls / acl calls, set-up left out"
    return {
        "host_sync_share": Measure(min(1.0, waited / total), "1", where % "synchronising", computed=True),
        "host_compile_share": Measure(min(1.0, compiled / total), "1", where % "compiling", computed=True),
    }


def notices(calls: HostCalls) -> list[Notice]:
    """The APIs that take most of the host's time."""
    ranked = sorted(calls.level().items(), key=lambda item: (-item[1][0], item[0]))[:SHOWN]
    if not ranked:
        return []
    text = "; ".join(f"{clean(name, 80)} {us(spent)} in {count:.0f} calls" for name, (spent, count) in ranked)
    return [Notice("host-calls", f"most host time: {text}", calls.origin)]
