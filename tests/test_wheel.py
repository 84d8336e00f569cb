"""The wheel, built from a clean copy: it holds `kb` alone, everything of it, and works from where it is installed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path, PurePosixPath

import pytest
from running import ROOT, SAMPLE, environment, needs_cli, needs_sample, tracked

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

LARGEST_MB = 300  # base install: this package and what it needs


def run(*command: str, cwd: Path, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        command,
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with the sdist and the wheel made from it, from a copy that holds what git keeps and nothing else.

    A `build/` folder left in the tree would hide a package missing from the list. No network: the build requirements
    are those of the extra `test`.
    """
    place = tmp_path_factory.mktemp("build")
    copy = place / "copy"
    for path in tracked():
        target = copy / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((ROOT / path).read_bytes())
    env = {**os.environ, "PIP_NO_INDEX": "1", "HOME": str(place)}
    env.pop("PYTHONPATH", None)
    run(
        sys.executable,
        "-m",
        "build",
        "--no-isolation",
        "--outdir",
        str(place / "dist"),
        str(copy),
        cwd=place,
        env=env,
    )
    return place / "dist"


@pytest.fixture(scope="session")
def wheel(built: Path) -> Path:
    (found,) = built.glob("*.whl")
    return found


@pytest.fixture(scope="session")
def content(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel in a folder of its own; what it needs comes from the running environment."""
    place = tmp_path_factory.mktemp("installed")
    run(
        sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-compile", "--target", str(place),
        str(wheel), cwd=place,
    )  # fmt: skip
    return place


def test_kb_is_the_only_name_at_the_top(content: dict[str, bytes]) -> None:
    tops = {PurePosixPath(name).parts[0] for name in content}
    assert {top for top in tops if not top.endswith((".dist-info", ".data"))} == {"kb"}
    assert len(tops) == 3


def test_the_manual_page_is_the_one_thing_beside_it(content: dict[str, bytes]) -> None:
    beside = [name for name in content if ".data/" in name]
    assert [PurePosixPath(name).parts[1:] for name in beside] == [("data", "share", "man", "man1", "kb.1")]
    assert content[beside[0]] == (ROOT / "docs" / "man" / "kb.1").read_bytes()


def test_every_module_and_table_of_the_package_is_in_it(content: dict[str, bytes]) -> None:
    expected = set(tracked("kb"))
    assert len(expected) > 50
    assert expected - set(content) == set()


def test_every_file_of_the_data_folder_is_in_it_unchanged(content: dict[str, bytes]) -> None:
    expected = {f"kb/{path}": (ROOT / path).read_bytes() for path in tracked("data")}
    assert len(expected) > 50
    assert [name for name, data in expected.items() if content.get(name) != data] == []


def test_nothing_else_is_in_it(content: dict[str, bytes]) -> None:
    kept = {*tracked("kb"), *(f"kb/{path}" for path in tracked("data"))}
    made_by_the_build = {"kb/data/index.db"}
    further = {name for name in content if name.startswith("kb/")} - kept - made_by_the_build
    assert further == set()


def test_licence_and_notice_are_in_it(content: dict[str, bytes]) -> None:
    names = {PurePosixPath(name).name for name in content if ".dist-info/" in name}
    assert {"LICENSE", "NOTICE", "METADATA", "entry_points.txt"} <= names
    (about,) = (text.decode() for name, text in content.items() if name.endswith(".dist-info/METADATA"))
    assert "License-Expression: Apache-2.0" in about
    assert re.search(r"^Name: ascend[-_]kb$", about, re.MULTILINE)


def test_the_source_archive_can_be_tested_and_built_again(built: Path) -> None:
    (found,) = built.glob("*.tar.gz")
    with tarfile.open(found) as archive:
        names = {
            PurePosixPath(name).relative_to(PurePosixPath(name).parts[0]).as_posix()
            for name in archive.getnames()
        }
    wanted = {path for path in tracked() if not PurePosixPath(path).parts[0].startswith(".")}
    assert wanted - names == set()


@needs_cli
def test_kb_runs_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    assert "advise" in from_wheel(installed, tmp_path, "--help")


@needs_cli
def test_the_knowledge_is_found_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    assert "yolov8s-910b-seed" in from_wheel(
        installed, tmp_path, "show", "yolov8s-910b-seed", "--format", "json"
    )
    assert '"kb.search/1"' in from_wheel(
        installed, tmp_path, "search", "NMS CPU fallback", "--format", "json"
    )


@needs_cli
@needs_sample
def test_the_main_job_runs_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    sample = installed / "kb" / SAMPLE
    assert '"kb.report/1"' in from_wheel(installed, tmp_path, "advise", str(sample), "--format", "json")


def from_wheel(installed: Path, home: Path, *arguments: str) -> str:
    """What the command printed; that it was the installed package that ran is checked first."""
    env = environment(home) | {"PYTHONPATH": str(installed)}
    where = run(sys.executable, "-c", "import kb.model; print(kb.model.__file__)", cwd=home, env=env)
    assert Path(where.strip()).is_relative_to(installed)
    script = installed / "bin" / "kb"
    return run(sys.executable, str(script), *arguments, cwd=home, env=env)


def needed(names: list[str]) -> Iterator[metadata.Distribution]:
    """The distributions of these requirements and of theirs, each once; extras that nobody asked for left out."""
    from packaging.requirements import Requirement

    seen: set[str] = set()
    waiting = [Requirement(name) for name in names]
    while waiting:
        requirement = waiting.pop()
        name = re.sub(r"[-_.]+", "-", requirement.name).lower()
        if name in seen or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
            continue
        seen.add(name)
        found = metadata.distribution(name)
        yield found
        waiting += [Requirement(text) for text in found.requires or ()]


def size(distribution: metadata.Distribution) -> int:
    """Bytes of its files on disk, compiled ones included."""
    paths = {Path(str(distribution.locate_file(file))) for file in distribution.files or ()}
    return sum(path.stat().st_size for path in paths if path.is_file())


def test_the_base_install_stays_small(content: dict[str, bytes]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    base = list(needed(project["dependencies"]))
    names = {re.sub(r"[-_.]+", "-", found.name).lower() for found in base}
    assert {"typer", "pandas", "numpy", "pyyaml"} <= names
    assert not names & {"torch", "scikit-learn", "scipy", "sentence-transformers", "transformers"}
    total = sum(size(found) for found in base) + sum(map(len, content.values()))
    assert total <= LARGEST_MB * 1e6, f"{total / 1e6:.0f} MB"
