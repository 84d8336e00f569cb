"""What the source never does, read from its syntax tree: no unpickling, no shell, no unpacking by path, no eval."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest
from running import ROOT, tracked

MODULES = [
    path for path in tracked("kb", "tools", "fuzz", "setup.py", "cli.py", "scripts") if path.endswith(".py")
]
SHIPPED = [path for path in MODULES if path.startswith("kb/")]
NEVER_IMPORTED = {
    "pickle",
    "cPickle",
    "marshal",
    "shelve",
    "dill",
    "cloudpickle",
    "joblib",
    "tarfile",
    "xml.dom",
    "telnetlib",
}
NEVER_CALLED = {
    "eval", "exec", "compile", "__import__", "os.system", "os.popen", "os.execv", "os.execvp", "os.startfile", "pty.spawn",
    "tempfile.mktemp", "yaml.unsafe_load", "yaml.full_load", "pd.read_pickle", "pandas.read_pickle", "subprocess.getoutput",
}  # fmt: skip
NEVER_METHODS = {"extractall", "extract", "enable_load_extension", "load_extension"}
# who opens SQLite files, each looked at: read only or defended, see docs/security.md
OPENS_SQLITE = {
    "kb/engine/readers/sqlite_file.py", "kb/store/database.py", "kb/knowledge/store.py", "kb/knowledge/index.py",
    "kb/knowledge/embed.py", "kb/knowledge/publish.py", "kb/knowledge/stems.py", "kb/models/static.py",
}  # fmt: skip


def calls(path: str) -> Iterator[tuple[ast.Call, str]]:
    """Every call with the name of what is called, dotted as far as it is written."""
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            yield node, ast.unparse(node.func)


def imported(path: str) -> set[str]:
    """Modules that a file imports, anywhere in it."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    return names | {
        node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and not node.level
    }


def test_there_is_something_to_look_at() -> None:
    assert len(SHIPPED) > 300


@pytest.mark.parametrize("name", sorted(NEVER_IMPORTED))
def test_what_runs_code_of_a_file_is_not_imported(name: str) -> None:
    assert [
        path
        for path in SHIPPED
        if any(found == name or found.startswith(f"{name}.") for found in imported(path))
    ] == []


def test_nothing_is_evaluated_and_no_shell_is_started() -> None:
    found = [
        f"{path}:{call.lineno}: {name}"
        for path in SHIPPED
        for call, name in calls(path)
        if name in NEVER_CALLED or name.rpartition(".")[2] in NEVER_METHODS
    ]
    assert found == []


def test_no_process_goes_through_a_shell() -> None:
    for path in MODULES:
        for call, name in calls(path):
            shell = next((word.value for word in call.keywords if word.arg == "shell"), None)
            assert shell is None or (isinstance(shell, ast.Constant) and shell.value is False), (
                f"{path}:{call.lineno}"
            )
            if name in ("subprocess.Popen", "subprocess.run", "subprocess.check_output"):
                assert not isinstance(call.args[0], (ast.Constant, ast.JoinedStr)), (
                    f"{path}:{call.lineno}: a command as text"
                )


def test_yaml_is_read_by_a_safe_loader() -> None:
    for path in MODULES:
        for call, name in calls(path):
            if name in ("yaml.load", "yaml.load_all", "yaml.parse"):
                loader = next((ast.unparse(word.value) for word in call.keywords if word.arg == "Loader"), "")
                source = (ROOT / path).read_text(encoding="utf-8")
                assert loader == "loader" and 'getattr(yaml, "CSafeLoader", yaml.SafeLoader)' in source, (
                    f"{path}:{call.lineno}"
                )


def test_sqlite_files_are_opened_where_they_are_looked_at() -> None:
    found = {path for path in SHIPPED for _, name in calls(path) if name == "sqlite3.connect"}
    assert found == OPENS_SQLITE


def test_arrays_are_loaded_without_objects() -> None:
    for path in MODULES:
        for call, name in calls(path):
            if name in ("np.load", "numpy.load"):
                assert all(
                    ast.unparse(word.value) == "False" for word in call.keywords if word.arg == "allow_pickle"
                ), path
