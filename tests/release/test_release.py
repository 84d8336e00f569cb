"""A release: the same bytes twice, a bill of materials, every direct dependency told, and an install without network."""

from __future__ import annotations

import hashlib
import importlib.util
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from running import ROOT, SAMPLE, environment

from tools.release import packages

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PAGE = (ROOT / "docs" / "release.md").read_text(encoding="utf-8")
TOOLS = {"build", "setuptools"}  # make the packages and are in none
needs_cyclonedx = pytest.mark.skipif(
    importlib.util.find_spec("cyclonedx") is None, reason="needs the extra `release` (cyclonedx-python-lib)"
)


def test_every_direct_dependency_is_told_with_its_lowest_version() -> None:
    told = dict(re.findall(r"^\| ([\w-]+) \| ([\d.]+|any) \|", PAGE, re.MULTILINE))
    extras = {extra: names for extra, names in PROJECT["optional-dependencies"].items() if extra != "test"}
    for text in (*PROJECT["dependencies"], *(one for names in extras.values() for one in names)):
        name = re.split(r"[\[>=<; ]", text)[0]
        lowest = re.search(r"[>=]=\s*([\w.]+)", text)
        assert name in TOOLS or told.get(name) == (lowest[1] if lowest else "any"), text


def packed(owner: str, time: int, names: list[str]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name in names:
            about = tarfile.TarInfo(name)
            about.size, about.mtime, about.uname, about.uid, about.mode = (
                3,
                time,
                owner,
                time % 1000,
                0o600 + 0o064 * (time % 2),
            )
            archive.addfile(about, io.BytesIO(b"abc"))
    return out.getvalue()


def test_an_sdist_depends_on_nobodys_clock_owner_or_order(tmp_path: Path) -> None:
    found = []
    for number, data in enumerate(
        (packed("me", 1_700_000_000, ["a/x", "a/b"]), packed("you", 1_800_000_001, ["a/b", "a/x"]))
    ):
        (tmp_path / f"{number}.tar.gz").write_bytes(data)
        packages.normalise(tmp_path / f"{number}.tar.gz", tmp_path / "out.tar.gz", 1_600_000_000)
        found.append((tmp_path / "out.tar.gz").read_bytes())
    assert found[0] == found[1]
    with tarfile.open(tmp_path / "out.tar.gz") as archive:
        assert [(about.name, about.mtime, about.uname, about.mode) for about in archive] == [
            ("a/b", 1_600_000_000, "", 0o644), ("a/x", 1_600_000_000, "", 0o644),
        ]  # fmt: skip


def small_wheel(folder: Path, name: str, needs: str = "") -> Path:
    path = folder / f"{name.replace('-', '_')}-1.0-py3-none-any.whl"
    about = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\nLicense-Expression: MIT\n{f'Requires-Dist: {needs}' if needs else ''}\n"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(zipfile.ZipInfo(f"{name.replace('-', '_')}-1.0.dist-info/METADATA"), about)
        archive.writestr(zipfile.ZipInfo("kb/data/model/model.db"), b"vectors")
    return path


@needs_cyclonedx
def test_the_bill_of_materials_names_packages_data_and_what_needs_what(tmp_path: Path) -> None:
    from tools.release import sbom

    main, other = small_wheel(tmp_path, "ascend-kb", "typer>=0.12"), small_wheel(tmp_path, "typer")
    for name in ("one.json", "two.json"):
        sbom.write([main, other], main, 1_700_000_000, tmp_path / name)
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
    found = json.loads((tmp_path / "one.json").read_text(encoding="utf-8"))
    assert found["bomFormat"] == "CycloneDX" and found["metadata"]["component"]["name"] == "ascend-kb"
    assert {one["name"] for one in found["metadata"]["component"]["components"]} == {
        "search model",
        "knowledge",
    }
    (typer,) = found["components"]
    assert typer["licenses"] == [{"license": {"id": "MIT"}}]
    assert typer["hashes"][0]["content"] == hashlib.sha256(other.read_bytes()).hexdigest()
    needs = {one["ref"]: one.get("dependsOn", []) for one in found["dependencies"]}
    assert needs["pkg:pypi/ascend-kb@1.0"] == ["pkg:pypi/typer@1.0"]


def made(place: Path, **variables: str) -> Path:
    """sdist and wheel of what is committed."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout: a release is made from a commit")
    subprocess.run(
        [sys.executable, "-m", "tools.release", str(place), "--packages-only"], cwd=ROOT, check=True, capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), **variables},
    )  # fmt: skip
    return place


@pytest.mark.long
def test_two_builds_give_the_same_bytes_and_the_wheel_works_without_network(tmp_path: Path) -> None:
    one, two = made(tmp_path / "one"), made(tmp_path / "two", TZ="Asia/Tokyo", PYTHONHASHSEED="7", LC_ALL="C")
    assert (one / "SHA256SUMS").read_text(encoding="utf-8") == (two / "SHA256SUMS").read_text(
        encoding="utf-8"
    )
    for line in (one / "SHA256SUMS").read_text(encoding="utf-8").splitlines():
        assert hashlib.sha256((one / line[66:]).read_bytes()).hexdigest() == line[:64]
    (wheel,) = one.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        assert any(name.endswith("licenses/LICENSE") for name in names) and "kb/data/index.db" in names
        (notice,) = [archive.read(name).decode() for name in names if name.endswith("licenses/NOTICE")]
    assert "The search model" in notice and "The knowledge" in notice
    _used_without_network(wheel, tmp_path)


def _used_without_network(wheel: Path, place: Path) -> None:
    """Install from a folder of wheels alone and run the main job."""
    house = place / "wheelhouse"
    fetched = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--wheel-dir", str(house), str(wheel)], capture_output=True, text=True, check=False,
        cwd=place,
    )  # fmt: skip
    if fetched.returncode != 0:
        pytest.skip(f"no package index to fill the folder of wheels from: {fetched.stderr.strip()[-200:]}")
    subprocess.run([sys.executable, "-m", "venv", str(place / "env")], check=True)
    python = place / "env" / "bin" / "python"
    variables = {key: value for key, value in environment(place).items() if key != "PYTHONPATH"} | {
        "PIP_NO_INDEX": "1"
    }
    command = ("-m", "pip", "install", "--quiet", "--no-index", "--find-links", str(house), "ascend-kb")
    subprocess.run([str(python), *command], check=True, env=variables, cwd=place)
    done = subprocess.run(
        [str(place / "env" / "bin" / "kb"), "advise", str(ROOT / SAMPLE)], capture_output=True, text=True, env=variables, cwd=place,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0 and "under-parallel" in done.stdout, done.stderr
