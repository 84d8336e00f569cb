"""The library: what its functions take, that their documents are the commands' own, their tables and pages."""

from __future__ import annotations

import dataclasses
import html
import importlib.resources
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from report_samples import EMPTY, HOSTILE, RUN, SAMPLE
from running import ROOT, environment, needs_cli, needs_sample, run_kb
from running import SAMPLE as FOLDER

import kb
from kb import model
from kb.library import frames
from tools.samples import onnx_writer as w

KERNEL = {
    "operator": "RmsNorm", "hardware": "Ascend910B2",
    "metrics": {"Task Duration(us)": 113.6, "Block Dim": 64, "aiv_vec_ratio": 0.658, "aiv_scalar_ratio": 0.41},
}  # fmt: skip
REPORTS = {"sample": SAMPLE, "run": RUN, "empty": EMPTY, "hostile": HOSTILE}


def printed(tmp_path: Path, *arguments: str) -> Any:
    done = run_kb(*arguments, "--format", "json", home=tmp_path)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


@needs_cli
@needs_sample
@pytest.mark.parametrize(
    "given", [str(ROOT / FOLDER), ROOT / FOLDER, [ROOT / FOLDER], (str(ROOT / FOLDER),)], ids=repr
)
def test_a_path_is_a_text_or_a_path_one_or_several(given: Any) -> None:
    report = kb.advise(given)
    assert isinstance(report, kb.Report) and isinstance(report, model.Report)
    assert report.findings and report.to_dict() == kb.advise([ROOT / FOLDER], kb.Request()).to_dict()


@needs_cli
@needs_sample
def test_the_document_of_a_report_is_what_the_command_prints(tmp_path: Path) -> None:
    folder = str(ROOT / FOLDER)
    assert kb.advise(folder, top=2).to_dict() == printed(tmp_path, "advise", folder, "--top", "2")
    told = kb.advise(folder, audience="kernel", soc="Ascend910B3").to_dict()
    assert told == printed(tmp_path, "advise", folder, "--for", "kernel", "--soc", "Ascend910B3")


@needs_cli
def test_the_document_of_counters_is_what_the_command_prints(tmp_path: Path) -> None:
    path = tmp_path / "metrics.json"
    path.write_text(json.dumps([KERNEL, KERNEL | {"operator": "Softmax"}]), encoding="utf-8")
    told = [report.to_dict() for report in kb.advise_metrics(path)]
    assert told == printed(tmp_path, "advise", "--metrics", str(path))
    by_hand = kb.advise_metrics([KERNEL, KERNEL | {"operator": "Softmax"}])
    assert [report.headline for report in by_hand] == [item["headline"] for item in told]


def test_a_dict_gives_a_report_and_a_list_a_list() -> None:
    one = kb.advise_metrics(KERNEL)
    assert isinstance(one, kb.Report) and one.findings
    assert [report.run for report in kb.advise_metrics([KERNEL])] == [one.run]


def test_numbers_of_other_libraries_are_numbers() -> None:
    numpy = pytest.importorskip("numpy")
    metrics = {name: numpy.float32(value) for name, value in KERNEL["metrics"].items()}  # type: ignore[attr-defined]
    given = kb.advise_metrics(KERNEL | {"metrics": metrics | {"Block Dim": numpy.int64(64)}})
    assert [item.pattern for item in given.findings] == [
        item.pattern for item in kb.advise_metrics(KERNEL).findings
    ]


@pytest.mark.parametrize(
    "given", [{}, {"metrics": {"aiv_vec_ratio": object}}, [], [1], {"metrics": {"x": {1, 2}}}], ids=repr
)
def test_what_is_no_such_data_is_an_error_of_ours(given: Any) -> None:
    with pytest.raises(kb.KbError) as fault:
        kb.advise_metrics(given)
    assert fault.value.exit_status == 3


@pytest.mark.parametrize("options", [{"top": 0}, {"audience": "everybody"}, {"soc": "Ascend999"}], ids=repr)
def test_options_that_make_no_sense(options: dict[str, Any]) -> None:
    with pytest.raises(kb.KbError) as fault:
        kb.advise_metrics(KERNEL, **options) if "soc" not in options else kb.advise(ROOT / FOLDER, **options)
    assert fault.value.exit_status == 2


@pytest.mark.parametrize("given", ["", [""], [ROOT / FOLDER, ""]], ids=repr)
def test_an_empty_path_is_not_the_current_folder(given: Any) -> None:
    with pytest.raises(kb.KbError, match="empty path"):
        kb.advise(given)


@needs_cli
def test_a_search_is_what_the_command_prints(tmp_path: Path) -> None:
    found = kb.search("NMS CPU fallback", k=3, kind="recipe", lang="zh")
    assert isinstance(found, kb.SearchResult)
    arguments = ("search", "-k", "3", "--kind", "recipe", "--lang", "zh", "NMS CPU fallback")
    assert found.to_dict() == printed(tmp_path, *arguments)
    assert found.to_dict(explain=True) == printed(tmp_path, *arguments, "--explain")
    with pytest.raises(kb.KbError, match="no language"):
        kb.search("NMS", lang="fr")


@needs_cli
def test_a_check_is_what_the_command_prints(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    path.write_bytes(w.small())
    checked = kb.check_model(path, "Ascend310P3")
    assert checked.to_dict() == printed(tmp_path, "check", str(path), "--soc", "Ascend310P3")
    names = tmp_path / "operators"
    names.write_text("aten.add.Tensor\naten.nonzero\naten.nonzero\n", encoding="utf-8")
    told = kb.check_model(torch=names, soc="Ascend910B3").to_dict()
    assert told == printed(tmp_path, "check", "--torch", str(names), "--soc", "Ascend910B3")
    assert kb.check_model(torch=names.read_text().split(), soc="Ascend910B3").to_dict() == told


@pytest.mark.parametrize(
    "given", [{}, {"model": "m.onnx"}, {"model": "m.onnx", "torch": ["a"], "soc": "Ascend310P3"}], ids=repr
)
def test_a_check_needs_one_model_and_a_chip(given: dict[str, Any]) -> None:
    with pytest.raises(kb.KbError) as fault:
        kb.check_model(**given)
    assert fault.value.exit_status == 2


@needs_cli
@needs_sample
def test_a_comparison_is_what_the_command_prints(tmp_path: Path) -> None:
    folder = str(ROOT / FOLDER)
    verdict = kb.compare(kb.advise(folder, top=60), folder)
    assert verdict.to_dict() == printed(tmp_path, "compare", folder, folder)
    assert list(verdict.to_frame().columns) == list(frames._CHANGES)


@pytest.mark.parametrize("name", REPORTS)
@pytest.mark.parametrize("of", ["operators", "findings", "recommendations"])
def test_tables_have_the_same_columns_whatever_is_known(name: str, of: Any) -> None:
    report = kb.Report.of(REPORTS[name])
    table = report.to_frame(of)
    columns = getattr(frames, f"_{of.upper()}")
    assert list(table.columns) == list(columns)
    assert len(table) == len(getattr(report, of))
    assert {str(kind) for kind in table.dtypes} <= {"object", "Int64", "Float64"}


def test_what_is_not_known_is_missing_and_never_zero() -> None:
    report = kb.Report.of(
        dataclasses.replace(RUN, operators=(dataclasses.replace(RUN.operators[0], time_us=None),))
    )
    assert report.to_frame()["time_us"].isna().all()
    assert kb.Report.of(EMPTY).to_frame("recommendations").empty
    with pytest.raises(kb.KbError, match="no table"):
        report.to_frame("kernels")  # type: ignore[arg-type]


def test_gains_stand_in_columns() -> None:
    report = kb.Report.of(SAMPLE)
    row = report.to_frame("recommendations").iloc[0]
    first = report.recommendations[0]
    assert (row["gain_likely"], row["gain_of"], row["id"]) == (first.gain.likely, first.gain.of, first.id)


@pytest.mark.parametrize("name", REPORTS)
def test_a_page_in_a_notebook_runs_no_script_and_stays_in_its_frame(name: str) -> None:
    shown = kb.Report.of(REPORTS[name])._repr_html_()
    found = re.fullmatch(r'<iframe sandbox srcdoc="([^"]*)" title="[^"]*" style="[^"]*"></iframe>', shown)
    assert found, shown[-300:]
    page = html.unescape(found[1])
    assert page.startswith("<!doctype html>") and page.endswith("</html>")
    assert "<script" not in page.lower() and "script-src" not in page
    assert not re.search(r"<img|<svg[^>]*onload|javascript:", page, re.IGNORECASE)


def test_search_and_check_have_pages_too() -> None:
    assert "client-nms-ascendc" in kb.search("NMS <script>alert(1)</script>", k=5)._repr_html_()
    assert "<script" not in kb.search("<script>alert(1)</script> NMS")._repr_html_()
    assert "<iframe sandbox" in kb.check_model(torch=["aten.add"], soc="Ascend310P3")._repr_html_()


_LOADED = """
import sys
import kb
{code}
print(sorted({{name.partition(".")[0] for name in sys.modules}} & {{"pandas", "numpy", "sqlite_utils", "typer", "rich"}}))
"""


@pytest.mark.parametrize(
    ("code", "heavy"),
    [
        ("kb.search('NMS').to_dict()", []),
        ("kb.search('NMS')._repr_html_()", []),
        (f"kb.advise({str(ROOT / FOLDER)!r}).to_dict()", []),
        ("kb.check_model(torch=['aten.add'], soc='Ascend310P3').to_dict()", []),
        ("kb.search('NMS').to_frame()", ["numpy", "pandas"]),
    ],
)
@needs_sample
def test_nothing_heavy_is_loaded_before_it_is_needed(code: str, heavy: list[str], tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _LOADED.format(code=code)], cwd=ROOT, env=environment(tmp_path), capture_output=True,
        text=True, check=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.stdout.splitlines()[-1] == str(heavy)


def test_the_package_says_that_it_is_typed() -> None:
    assert (importlib.resources.files("kb") / "py.typed").is_file()


USER = """
import kb
report: kb.Report = kb.advise("x", soc="Ascend910B2")
reports: list[kb.Report] = kb.advise_metrics([{"operator": "Add", "metrics": {}}])
one: kb.Report = kb.advise_metrics({"operator": "Add", "metrics": {}})
name: str = kb.search("NMS").results[0].id
falls: bool = kb.check_model("m.onnx", "Ascend310P3").falls_back
verdict: kb.Comparison = kb.compare(report, "x")
wrong: int = kb.search("NMS").results[0].id
"""


def test_a_type_checker_sees_the_types(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    script = tmp_path / "user.py"
    script.write_text(USER, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", str(script)], cwd=ROOT, capture_output=True,
        text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert re.findall(r"user\.py:(\d+): error", done.stdout) == ["9"], done.stdout + done.stderr


@pytest.mark.parametrize(
    ("call", "where"),
    [
        (lambda: kb.search("x", kind="foo"), "kind"),
        (lambda: kb.search("x", k=0), "k"),
        (lambda: kb.search(" "), "query"),
        (lambda: kb.search(None), "query"),  # type: ignore[arg-type]
        (lambda: kb.check_model("m.onnx"), "soc"),
        (lambda: kb.check_model(soc="Ascend310P3"), "model"),
        (lambda: kb.advise(3), "paths"),  # type: ignore[arg-type]
        (lambda: kb.advise(FOLDER, top="3"), "top"),  # type: ignore[arg-type]
        (lambda: kb.compare(None, FOLDER), "paths"),  # type: ignore[arg-type]
        (lambda: kb.advise(ROOT / FOLDER, soc="Nope"), "soc"),
    ],
)
def test_a_fault_stands_at_a_parameter(call: Any, where: str) -> None:
    with pytest.raises(kb.KbError) as fault:
        call()
    assert fault.value.where == where and fault.value.exit_status == 2
    assert fault.value.now and not fault.value.what.startswith("-")
