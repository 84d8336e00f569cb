"""Calibrations of estimates: made from a profile, kept beside the run store, found again by chip."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kb.commands._console import Common, emit, say
from kb.commands._progress import working
from kb.errors import UsageError

if TYPE_CHECKING:
    from kb.engine.estimate.scales import Scales
    from kb.model import Chip, Profile


def keep(common: Common, profile: Path, soc: str) -> int:
    """Fit the classes to a profile, keep the factors, print one JSON line a class."""
    from kb import targets
    from kb.commands._files import write_file
    from kb.engine import readers
    from kb.engine.estimate.calibrate import as_text, calibrate, path_of, rows
    from kb.report.dump import dumps

    with working(common, f"reading {profile}") as progress:
        looking = progress.looking if progress else None
        found = readers.read([profile], soc=soc or None, progress=progress, looking=looking)
    _refuse_another_chip(found, soc)
    chip = targets.typical(_chip(found.chip, soc))
    fitted = calibrate(found.operators, chip, profile.name)
    path = path_of(_folder(common), chip.id)
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as fault:
        raise UsageError(
            f"cannot be created: {fault.strerror or fault}", where=str(path.parent), now="Give another --db."
        ) from fault
    text = as_text(fitted)
    earlier = _put_aside(path, text)
    write_file(path, text)
    for walk, row in rows(fitted).items():
        emit(dumps({"chip": chip.id, "class": walk, **row}, indent=None))
    if earlier is not None:
        say(
            common, f"the calibration that was there is kept as {earlier}; copy it back to have it used again"
        )
    say(common, f"kept in {path}; used for {chip.id} from now on, --uncalibrated leaves it out")
    return 0


def _put_aside(path: Path, text: str) -> Path | None:
    """Copy the calibration that is about to be replaced, unless it says the same; returns where it is."""
    from kb.commands._files import write_file

    try:
        before = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    if before.rstrip("\n") == text:
        return None
    number = 1
    while (aside := path.with_name(f"{path.stem}.{number}.json")).exists():
        number += 1
    write_file(aside, before)
    return aside


def kept_scales(common: Common, soc: str) -> Scales | None:
    """The kept factors of a chip, None without a calibration."""
    from kb import targets
    from kb.engine.estimate.calibrate import load, path_of

    found = load(path_of(_folder(common), targets.typical(soc).id))
    return None if found is None else found.scales()


def _folder(common: Common) -> Path:
    from kb.store.database import folder

    return folder(common.db or None)


def _refuse_another_chip(found: Profile, soc: str) -> None:
    """A profile of another chip would spoil every later estimate for this one.

    Raises:
        UsageError: the profile says, or its tables show, that it was taken on another chip than the stated.
    """
    for notice in found.notices:
        if notice.code in ("soc-differs", "soc-doubtful"):
            raise UsageError(
                notice.text, where="--soc", now=f"Calibrate {soc} with a profile that was taken on it."
            )


def _chip(found: Chip, soc: str) -> str:
    """The chip that a profile was taken on: as stated, else as the profile says it without doubt."""
    if soc:
        return soc
    if found.soc and found.basis in ("file", "stated"):
        return found.soc
    raise UsageError(
        "the profile does not say which chip it was taken on",
        where="--soc",
        now="For example --soc Ascend910B3.",
    )
