"""The bill of materials of a release: CycloneDX, made from the wheels that go with it, the same bytes for the same wheels."""

from __future__ import annotations

import hashlib
import uuid
import zipfile
from collections.abc import Sequence
from datetime import datetime, timezone
from email.message import Message
from email.parser import BytesParser
from pathlib import Path

from cyclonedx.factory.license import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

_SPACE = uuid.UUID("6ba7b811-9dad-11d1-80b4-00c04fd430c8")  # uuid.NAMESPACE_URL
_DATA = (
    (
        "search model",
        "vectors trained by this project's own code; teachers and their licences in NOTICE",
        "kb/data/model/",
    ),
    (
        "knowledge",
        "entries, chips and operators in this project's own words; sources in each entry",
        "kb/data/",
    ),
)


def write(wheels: Sequence[Path], main: Path, when: int, out: Path) -> None:
    """Write the bill of `main` and of the other wheels to `out`."""
    known = {canonicalize_name(_about(path)["Name"]): path for path in sorted(wheels)}
    components = {name: _component(path) for name, path in known.items()}
    own = components[canonicalize_name(_about(main)["Name"])]
    for title, note, folder in _DATA:
        own.components.add(_data(title, note, folder, main))
    bom = Bom(components=[one for one in components.values() if one is not own])
    bom.metadata.component = own
    bom.metadata.timestamp = datetime.fromtimestamp(when, timezone.utc)
    hashes = "".join(sorted(_hash(path.read_bytes()) for path in known.values()))
    bom.serial_number = uuid.uuid5(_SPACE, hashes)
    for name, path in known.items():
        needed = {canonicalize_name(one.name) for one in _requirements(path)} & set(components)
        bom.register_dependency(components[name], [components[one] for one in sorted(needed)])
    out.write_text(JsonV1Dot6(bom).output_as_string(indent=2) + "\n", encoding="utf-8")


def _component(path: Path) -> Component:
    about = _about(path)
    name, version = canonicalize_name(about["Name"]), about["Version"]
    url = PackageURL("pypi", name=name, version=version)
    word = licence(about)
    return Component(
        type=ComponentType.APPLICATION if name == "ascend-kb" else ComponentType.LIBRARY, name=name, version=version, purl=url,
        bom_ref=url.to_string(), licenses=[LicenseFactory().make_from_string(word)] if word else [],
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=_hash(path.read_bytes()))],
    )  # fmt: skip


def _data(title: str, note: str, folder: str, wheel: Path) -> Component:
    """A part of the wheel that is data: one hash over the names and hashes of its files."""
    with zipfile.ZipFile(wheel) as archive:
        names = sorted(
            name for name in archive.namelist() if name.startswith(folder) and not name.endswith("/")
        )
        listed = "".join(f"{_hash(archive.read(name))}  {name}\n" for name in names)
    return Component(
        type=ComponentType.DATA, name=title, description=note, bom_ref=f"data:{folder}",
        licenses=[LicenseFactory().make_from_string("Apache-2.0")],
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=_hash(listed.encode()))],
    )  # fmt: skip


def licence(about: Message) -> str:
    """The licence that a distribution states: as an expression, as a classifier, or in words of its own; empty if none."""
    if about["License-Expression"]:
        return str(about["License-Expression"])
    named = [
        line.rpartition(" :: ")[2]
        for line in about.get_all("Classifier", [])
        if line.startswith("License :: OSI")
    ]
    stated = str(about["License"] or "")
    return named[0] if named else stated.splitlines()[0] if stated else ""


def _about(path: Path) -> Message:
    with zipfile.ZipFile(path) as archive:
        name = next(
            name
            for name in archive.namelist()
            if name.count("/") == 1 and name.endswith(".dist-info/METADATA")
        )
        return BytesParser().parsebytes(archive.read(name))


def _requirements(path: Path) -> list[Requirement]:
    found = [Requirement(text) for text in _about(path).get_all("Requires-Dist", [])]
    return [one for one in found if one.marker is None or one.marker.evaluate({"extra": ""})]


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
