from __future__ import annotations

from pathlib import Path

import pytest

from kb.engine.job import split as module
from kb.engine.job.split import size_at_least, split

INFO = '{"config": {"common_config": {}, "experimental_config": {}}, "rank_id": %s}'


def made(root: Path, *files: str) -> Path:
    for name in files:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(INFO % 7 if name.endswith("profiler_info.json") else "x")
    return root


def ranks(*paths: Path) -> list[tuple[str, str]] | None:
    found = split(paths)
    return None if found is None else [(rank.name, rank.label) for rank in found.ranks]


def test_ranks_by_the_number_of_the_profiler_in_the_order_of_numbers(tmp_path: Path) -> None:
    for number in (10, 9, 0):
        made(tmp_path, f"host_{99 - number}_ascend_pt/profiler_info_{number}.json")
    assert ranks(tmp_path) == [
        ("rank 0", "host_99_ascend_pt"), ("rank 9", "host_90_ascend_pt"), ("rank 10", "host_89_ascend_pt"),
    ]  # fmt: skip


def test_an_old_capture_says_its_rank_inside_the_file(tmp_path: Path) -> None:
    made(tmp_path, "a_ascend_pt/profiler_info.json", "b_ascend_pt/profiler_info_2.json")
    assert ranks(tmp_path) == [("rank 2", "b_ascend_pt"), ("rank 7", "a_ascend_pt")]


def test_ranks_by_the_name_of_the_folder_and_deeper_down(tmp_path: Path) -> None:
    made(tmp_path, "node0/rank_0/x/kernel_details.csv", "node1/rank1/kernel_details.csv", "node1/readme.txt")
    assert ranks(tmp_path) == [("rank 0", "node0/rank_0"), ("rank 1", "node1/rank1")]
    found = split([tmp_path])
    assert found is not None and [path.name for path in found.rest] == ["readme.txt"]


def test_several_folders_are_one_job_whatever_their_order(tmp_path: Path) -> None:
    made(tmp_path, "rank0/kernel_details.csv", "rank1/kernel_details.csv")
    assert ranks(tmp_path / "rank1", tmp_path / "rank0") == [("rank 0", "rank0"), ("rank 1", "rank1")]


def test_an_empty_rank_folder_is_a_rank_that_will_be_lost(tmp_path: Path) -> None:
    made(tmp_path, "rank_0/kernel_details.csv", "rank_1/kernel_details.csv")
    (tmp_path / "rank_2").mkdir()
    assert [name for name, _ in ranks(tmp_path) or []] == ["rank 0", "rank 1", "rank 2"]


def test_a_job_folder_named_like_a_rank_is_still_a_job(tmp_path: Path) -> None:
    made(tmp_path / "rank_8", "rank_0/kernel_details.csv", "rank_1/kernel_details.csv")
    assert [name for name, _ in ranks(tmp_path / "rank_8") or []] == ["rank 0", "rank 1"]


@pytest.mark.parametrize(
    "files",
    [
        ["kernel_details.csv"],
        ["rank_0/kernel_details.csv"],
        [
            "PROF_1/mindstudio_profiler_output/op_summary.csv",
            "PROF_2/mindstudio_profiler_output/op_summary.csv",
        ],
        ["a/rank_1/kernel_details.csv", "b/rank_1/kernel_details.csv"],
    ],
    ids=["one table", "one rank", "no numbers", "one number twice"],
)
def test_what_is_no_job_of_numbered_ranks_is_read_as_before(tmp_path: Path, files: list[str]) -> None:
    assert ranks(made(tmp_path, *files)) is None


def test_files_are_no_job(tmp_path: Path) -> None:
    made(tmp_path, "rank_0/kernel_details.csv", "rank_1/kernel_details.csv")
    assert ranks(tmp_path / "rank_0/kernel_details.csv", tmp_path / "rank_1/kernel_details.csv") is None
    assert ranks(tmp_path / "nowhere") is None


def test_links_are_not_followed(tmp_path: Path) -> None:
    made(tmp_path / "elsewhere", "rank_2/kernel_details.csv")
    made(tmp_path / "job", "rank_0/kernel_details.csv", "rank_1/kernel_details.csv")
    (tmp_path / "job/rank_2").symlink_to(tmp_path / "elsewhere/rank_2")
    assert [name for name, _ in ranks(tmp_path / "job") or []] == ["rank 0", "rank 1"]


def test_the_size_is_looked_at_no_further_than_needed(tmp_path: Path) -> None:
    made(tmp_path, "rank_0/a/b.csv", "rank_1/c.csv")
    found = split([tmp_path])
    assert found is not None
    assert size_at_least(found, 2) and not size_at_least(found, 3)


@pytest.mark.parametrize("bound", ["MOST_FILES", "MOST_FOLDERS"])
def test_a_folder_of_all_there_is_is_left_early(
    tmp_path: Path, bound: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(tmp_path, *(f"a{place}/{name}" for place in range(9) for name in "xyz"))
    made(tmp_path, "rank_0/kernel_details.csv", "rank_1/kernel_details.csv")
    assert ranks(tmp_path) is not None
    told: list[int] = []
    monkeypatch.setattr(module, bound, 4)
    assert split([tmp_path], lambda _, files: told.append(files)) is None
    assert told == sorted(told) and 4 <= told[-1] <= 15  # and not all 29


def test_what_a_rank_holds_counts_for_that_rank_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_FILES", 4)
    made(
        tmp_path, *(f"rank_{rank}/device/{name}" for rank in range(3) for name in range(3)), "log/1", "log/2"
    )
    made(tmp_path, *(f"rank_3/{name}" for name in range(9)))
    assert [name for name, _ in ranks(tmp_path) or []] == ["rank 0", "rank 1", "rank 2", "rank 3"]
    made(tmp_path, "log/3", "log/4", "log/5")
    assert ranks(tmp_path) is None
