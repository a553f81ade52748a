"""The folder stands on its own: copied elsewhere under another name, it runs."""

import ast
import re
import shutil
import subprocess
import sys
from base64 import b64encode
from importlib.metadata import packages_distributions
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from warehouse.embedded import clickhouse

from .conftest import PASSWORD, Server, started

FOLDER = Path(clickhouse.__file__).parent
PROJECT = {"warehouse", "indexer", "pipelines", "api", "tests"}
README = (FOLDER / "README.md").read_text()


def imported(folder: Path) -> set[str]:
    """Top-level modules that the files of ``folder`` import absolutely."""
    found = set()
    for path in folder.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                found.add(node.module or "")
            elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "import_module":
                found.add(ast.literal_eval(node.args[0]))
    return found


def ask(server: Server, sql: str) -> bytes:
    credentials = b64encode(f"default:{PASSWORD}".encode()).decode()
    request = Request(
        f"http://127.0.0.1:{server.port}/", sql.encode(), headers={"Authorization": f"Basic {credentials}"}
    )
    with urlopen(request) as answer:
        body: bytes = answer.read()
    return body


def test_requirements_are_those_of_the_readme() -> None:
    outside = {name.partition(".")[0] for name in imported(FOLDER)} - sys.stdlib_module_names
    section = re.search(r"## Requirements\n(.*?)\n## ", README, re.DOTALL)
    assert section is not None
    listed = set(re.findall(r"^- `([\w-]+)`", section[1], re.MULTILINE))
    distributions = packages_distributions()
    assert {name for name in outside if not listed & set(distributions[name])} == set()
    assert listed <= {distribution for name in outside for distribution in distributions[name]}


def test_the_readme_names_the_version() -> None:
    assert f"Version {clickhouse.__version__}" in README


def test_these_tests_use_nothing_else_of_the_project() -> None:
    used = {name for name in imported(Path(__file__).parent) if name.partition(".")[0] in ("warehouse", "tests")}
    assert {
        name for name in used if name != "warehouse.embedded" and "warehouse.embedded.clickhouse" not in name
    } == set()


def test_a_copy_under_another_name_serves(tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path / "elsewhere", ignore=shutil.ignore_patterns("__pycache__"))
    with started(tmp_path / "data", package="elsewhere", cwd=tmp_path) as server:
        ask(server, "CREATE TABLE visits (day Date, hits UInt64) ENGINE = MergeTree ORDER BY day")
        ask(server, "INSERT INTO visits VALUES ('2026-01-01', 3), ('2026-01-02', 4)")
        assert ask(server, "SELECT currentDatabase(), sum(hits) FROM visits") == b"shop\t7\n"
        assert server.stop() == 0


def test_a_directory_has_one_server(tmp_path: Path) -> None:
    with started(tmp_path / "data") as first:
        second = subprocess.run(
            [sys.executable, "-m", "warehouse.embedded.clickhouse", str(tmp_path / "data")],
            env={"CLICKHOUSE_PASSWORD": "a", "CLICKHOUSE_ANALYST_PASSWORD": "b"},
            capture_output=True,
            text=True,
        )
        assert second.returncode == 1
        assert second.stderr.splitlines() == [
            f"error: {tmp_path}/data is in use by process {first.process.pid}: one process can own it"
        ]


@pytest.mark.parametrize("given", [{}, {"CLICKHOUSE_PASSWORD": "a"}])
def test_it_does_not_start_without_passwords(tmp_path: Path, given: dict[str, str]) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "warehouse.embedded.clickhouse", str(tmp_path)],
        env=given,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 1
    assert run.stderr == "error: set CLICKHOUSE_PASSWORD and CLICKHOUSE_ANALYST_PASSWORD\n"
