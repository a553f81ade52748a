"""Dependencies point one way, and drivers stay at the edge."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OURS = ("warehouse", "indexer", "pipelines", "api")
# What each package may import of the others.
ALLOWED = {
    "warehouse": (),
    "indexer": ("warehouse",),
    "pipelines": ("warehouse", "indexer"),
    "api": ("warehouse", "indexer.chains", "indexer.contracts"),
}
DRIVERS = {
    "clickhouse_connect": ("warehouse",),
    "chdb": ("warehouse",),
    "psycopg": ("warehouse",),
    "psycopg2": ("warehouse",),
    "sqlalchemy": ("warehouse",),
    "dagster": ("pipelines",),
    "fastapi": ("api",),
    "starlette": ("api",),
    "uvicorn": ("api", "warehouse"),  # the embedded engine speaks HTTP too
}


# warehouse/domain is shared by all four: values and pure functions.
PURE = ("warehouse.domain", "eth_abi", "eth_hash", "eth_utils", "msgspec", "pydantic", "solders")


def imports_of(package: str) -> Iterator[tuple[Path, str]]:
    """Every module that the package's files import, with the file that does."""
    for path in sorted((ROOT / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                yield from ((path, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                if node.level > 0:
                    continue  # within the package
                yield from ((path, f"{node.module}.{alias.name}") for alias in node.names)


def is_within(module: str, packages: tuple[str, ...]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


@pytest.mark.parametrize("package", OURS)
def test_dependencies_point_one_way(package: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {module}"
        for path, module in imports_of(package)
        if is_within(module, OURS) and not is_within(module, (package, *ALLOWED[package]))
    ]
    assert wrong == []


@pytest.mark.parametrize("package", OURS)
def test_drivers_stay_at_the_edge(package: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {module}"
        for path, module in imports_of(package)
        if package not in DRIVERS.get(module.partition(".")[0], (package,))
    ]
    assert wrong == []


def test_the_domain_imports_only_itself_and_pure_libraries() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {module}"
        for path, module in imports_of("warehouse/domain")
        if module.partition(".")[0] not in sys.stdlib_module_names and not is_within(module, PURE)
    ]
    assert wrong == []


def test_the_domain_does_no_input_or_output() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {module}"
        for path, module in imports_of("warehouse/domain")
        if is_within(module, ("asyncio", "http", "io", "os", "pathlib", "socket", "subprocess", "threading", "urllib"))
    ]
    assert wrong == []


def test_chain_neutral_indexing_knows_no_kind_of_chain() -> None:
    neutral = [*ROOT.glob("indexer/*.py"), *ROOT.glob("indexer/chains/*.py")]
    kinds = ("indexer.chains.evm", "indexer.chains.solana")
    wrong = [
        f"{path.relative_to(ROOT)}: {module}"
        for path, module in imports_of("indexer")
        if path in neutral and path.name != "kinds.py" and is_within(module, kinds)
    ]
    assert wrong == []


def test_the_command_imports_only_the_api() -> None:
    wrong = [
        module
        for path, module in imports_of("api")
        if path.parent.name == "cli" and is_within(module, ("warehouse", "indexer", "pipelines"))
    ]
    assert wrong == []
