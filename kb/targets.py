"""Chips and families of chips: what each has, and the many names it goes by.

One file a chip below `data/targets`; a chip whose silicon is sold under several SoC ids lists them as `bins`.
`families.yaml` names the families and the groups (such as "910B-20core") that are less than one chip.
Parsed on first use: asking for one chip by its id reads one file.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from kb import shipped
from kb.errors import KnowledgeError, UsageError
from kb.model import Chip

FEW = 3  # candidate chips that are named one by one; of more their families are


@dataclass(frozen=True, slots=True)
class Target:
    """One SoC. Everything that no source states is None or missing from its mapping.

    Rates are GB/s of 1e9 bytes, sizes bytes, per-cycle figures per core. `memory_gbps` and `l2_gbps` are the
    figure to compute with; low and high are the lowest and highest stated, so a floor uses high.
    `memory_gbps_planner` is CANN's planning rate: kernels have been seen above it. `fused` chips hold
    cube and vector in one AI Core.
    """

    id: str
    family: str
    cube_cores: int
    vector_cores: int
    fused: bool
    extra_vector_cores: int = 0
    ai_cpu_cores: int | None = None
    clock_mhz: float | None = None
    clock_mhz_low: float | None = None
    clock_mhz_high: float | None = None
    memory_bytes: int | None = None
    memory_gbps: float | None = None
    memory_gbps_low: float | None = None
    memory_gbps_high: float | None = None
    memory_gbps_planner: float | None = None
    l2_bytes: int | None = None
    l2_gbps: float | None = None
    l2_gbps_low: float | None = None
    l2_gbps_high: float | None = None
    cube_ops_per_cycle: Mapping[str, int] = field(default_factory=dict)
    vector_lanes: Mapping[str, int] = field(default_factory=dict)
    buffers: Mapping[str, int] = field(default_factory=dict)
    path_gbps: Mapping[str, float] = field(default_factory=dict)
    onchip_bytes_per_cycle: Mapping[str, int] = field(default_factory=dict)
    arch: str = ""
    npu_arch: int | None = None
    aliases: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()

    def cores(self, core: str) -> int | None:
        """Cores of a kernel's kind ("cube", "vector", "mix", "fused"); None for kinds that run elsewhere.

        A mix kernel is counted in its cube cores.
        """
        if core in ("cube", "mix", "fused"):
            return self.cube_cores
        return self.vector_cores if core == "vector" else None

    def cube_flops(self, dtype: str) -> float | None:
        """Peak operations a second of all cube cores, multiply-add counting 2; None without a rate."""
        rate = self.cube_ops_per_cycle.get(dtype)
        return (
            None if rate is None or self.clock_mhz is None else rate * self.cube_cores * self.clock_mhz * 1e6
        )

    def vector_ops(self, dtype: str) -> float | None:
        """Peak element operations a second of all vector units, one operation an element and cycle."""
        lanes = self.vector_lanes.get(dtype)
        units = self.vector_cores + self.extra_vector_cores
        return None if lanes is None or self.clock_mhz is None else lanes * units * self.clock_mhz * 1e6


@dataclass(frozen=True, slots=True)
class Family:
    """Chips of one architecture (or, for a group, of one description), with the names users give it."""

    id: str
    title: str
    members: tuple[str, ...]
    aliases: tuple[str, ...] = ()
    typical: str | None = None
    group: bool = False


def load(soc: str) -> Target:
    """The chip of that id or alias, upper and lower case alike.

    Raises:
        UsageError: no such chip, or the name stands for several (a family); the message names the near ids.
    """
    found = _direct(soc) or all_targets().get(_chip_names().get(_key(soc), ""))
    if found:
        return found
    members = resolve(soc)
    if len(members) == 1:
        return all_targets()[members[0]]
    raise UsageError(
        f'"{soc}" stands for {len(members)} chips',
        where="--soc",
        now=f"name one of them: {', '.join(members)}",
    )


def typical(name: str) -> Target:
    """A chip to compute with: the chip itself, or the commonest member of a family or group.

    Raises:
        UsageError: the name is unknown, or the family declares no typical member.
    """
    family = _family_names().get(_key(name))
    if _key(name) in _chip_names() or family is None or family.typical is None:
        return load(name)
    return all_targets()[family.typical]


def resolve(name: str) -> tuple[str, ...]:
    """SoC ids that a chip, family or group name stands for.

    Raises:
        UsageError: the name is unknown; the message names near ids.
    """
    key = _key(name)
    soc = _chip_names().get(key)
    if soc:
        return (soc,)
    family = _family_names().get(key)
    if family:
        return family.members
    squeezed = key.replace(" ", "")
    if squeezed != key and (squeezed in _chip_names() or squeezed in _family_names()):
        return resolve(squeezed)
    names = {**_family_names(), **_chip_names()}
    near = difflib.get_close_matches(key, names, n=3, cutoff=0.6)
    now = (
        f"near: {', '.join(dict.fromkeys(_pretty(n) for n in near))}"
        if near
        else "chips are written as Ascend910B2 or Ascend310P3, families as atlas-a2"
    )
    raise UsageError(f'unknown chip "{name}"', where="--soc", now=now)


def family_of(soc: str) -> str:
    """Family id of a chip (or of a family's own name); the same errors as `resolve`."""
    family = _family_names().get(_key(soc))
    if family and not family.group and _key(soc) not in _chip_names():
        return family.id
    return all_targets()[resolve(soc)[0]].family


def families() -> dict[str, Family]:
    """All families by id; groups are left out."""
    return {f.id: f for f in _families() if not f.group}


def in_short(names: Sequence[str]) -> tuple[str, ...]:
    """Chips for people: a few by name, more by the titles of their families; names that are no chip stay as they are."""
    if len(names) <= FEW:
        return tuple(names)
    known = all_targets()
    titles = {family.id: family.title for family in families().values()}
    return tuple(
        dict.fromkeys(titles.get(known[name].family, name) if name in known else name for name in names)
    )


def is_known(name: str) -> bool:
    """Whether the name is a chip, a family or a group."""
    key = _key(name)
    return key in _chip_names() or key in _family_names()


@cache
def all_targets() -> dict[str, Target]:
    """Every chip by id, bins included, in the order of their ids."""
    found = [
        target
        for path in sorted(_folder().glob("*.yaml"))
        if path.name != "families.yaml"
        for target in _read(path)
    ]
    return {target.id: target for target in sorted(found, key=lambda t: t.id)}


def candidates(chip: Chip) -> tuple[Target, ...]:
    """The chips that a profile may come from, by id."""
    known = all_targets()
    names = (chip.soc,) if chip.soc else chip.candidates
    return tuple(known[name] for name in sorted(set(names)) if name in known)


def _folder() -> Path:
    return shipped.root() / "targets"


def _key(name: str) -> str:
    return " ".join(name.split()).casefold()


def _pretty(key: str) -> str:
    family = _family_names().get(key)
    return _chip_names().get(key) or (family.id if family else key)


@cache
def _file_names() -> dict[str, Path]:
    return {_key(path.stem): path for path in _folder().glob("*.yaml") if path.name != "families.yaml"}


def _direct(soc: str) -> Target | None:
    path = _file_names().get(_key(soc))
    return next(iter(_read(path))) if path else None


@cache
def _chip_names() -> dict[str, str]:
    names = {_key(target.id): target.id for target in all_targets().values()}
    for target in all_targets().values():
        for alias in target.aliases:
            names.setdefault(_key(alias), target.id)
    return names


@cache
def _family_names() -> dict[str, Family]:
    return {_key(name): family for family in _families() for name in (family.id, *family.aliases)}


@cache
def _families() -> tuple[Family, ...]:
    table = _parse(_folder() / "families.yaml")
    by_family: dict[str, list[str]] = {}
    for target in all_targets().values():
        by_family.setdefault(target.family, []).append(target.id)
    out = [
        Family(
            id_,
            item["title"],
            tuple(by_family.get(id_, ())),
            tuple(item["aliases"]),
            table["typical"].get(id_),
        )
        for id_, item in table["families"].items()
    ]
    for id_, item in table["groups"].items():
        members = [*item.get("members", ()), *(soc for f in item.get("families", ()) for soc in by_family[f])]
        out.append(
            Family(id_, id_, tuple(members), tuple(item.get("aliases", ())), item["typical"], group=True)
        )
    return tuple(out)


def _parse(path: Path) -> dict[str, Any]:
    import yaml  # noqa: PLC0415 - the search path reads no chip

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        parsed = yaml.load(path.read_bytes(), Loader=loader)  # noqa: S506 - a safe loader
    except yaml.YAMLError as fault:
        raise KnowledgeError(
            f"not readable as YAML: {fault}", where=str(path), now="mend the file"
        ) from fault
    if not isinstance(parsed, dict):
        raise KnowledgeError("no mapping", where=str(path), now="compare with another file of data/targets")
    return parsed


@cache
def _read(path: Path) -> tuple[Target, ...]:
    raw = _parse(path)
    try:
        return tuple(_targets(raw))
    except (KeyError, TypeError) as fault:
        raise KnowledgeError(
            f"a key is missing or has the wrong shape: {fault}",
            where=str(path),
            now="compare with another chip",
        ) from fault


def _targets(raw: dict[str, Any]) -> Iterator[Target]:
    cores, clock = raw["cores"], raw.get("clock_mhz", {})
    memory, l2 = raw.get("memory", {}), raw.get("l2", {})
    first = Target(
        id=raw["id"],
        family=raw["family"],
        cube_cores=cores["cube"],
        vector_cores=cores["vector"],
        fused=cores["fused"],
        extra_vector_cores=cores.get("extra_vector", 0),
        ai_cpu_cores=cores.get("ai_cpu"),
        clock_mhz=clock.get("use"),
        clock_mhz_low=clock.get("low"),
        clock_mhz_high=clock.get("high"),
        memory_bytes=memory.get("bytes"),
        memory_gbps=memory.get("gbps"),
        memory_gbps_low=memory.get("low"),
        memory_gbps_high=memory.get("high"),
        memory_gbps_planner=memory.get("planner_gbps"),
        l2_bytes=l2.get("bytes"),
        l2_gbps=l2.get("gbps"),
        l2_gbps_low=l2.get("low"),
        l2_gbps_high=l2.get("high"),
        cube_ops_per_cycle=raw.get("cube_ops_per_cycle", {}),
        vector_lanes=raw.get("vector_lanes", {}),
        buffers=raw.get("buffers", {}),
        path_gbps=raw.get("path_gbps", {}),
        onchip_bytes_per_cycle=raw.get("onchip_bytes_per_cycle", {}),
        arch=raw.get("arch", ""),
        npu_arch=raw.get("npu_arch"),
        aliases=tuple(raw.get("aliases", ())),
        notes=tuple(raw.get("notes", ())),
        sources=tuple(raw.get("sources", ())),
    )
    yield first
    for bin_id, aliases in raw.get("bins", {}).items():
        yield replace(first, id=bin_id, aliases=tuple(aliases))
