"""Modules of a package form no import cycle, not even one that an import inside a function hides."""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def name_of(path: Path, root: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(tree: ast.AST, modules: frozenset[str]) -> Iterator[str]:
    """The modules that a file imports, at any depth, without those for type checkers only."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                member = f"{node.module}.{alias.name}"
                if member in modules or node.module in modules:
                    yield member if member in modules else node.module
        yield from imported(node, modules)


def find_cycle(root: Path, package: str) -> list[str] | None:
    """The modules of an import cycle in the order of the imports, or None."""
    paths = {name_of(path, root): path for path in sorted((root / package).rglob("*.py"))}
    modules = frozenset(paths)
    graph = {name: set(imported(ast.parse(path.read_text()), modules)) - {name} for name, path in paths.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        cycle: list[str] = error.args[1][::-1]
        return cycle
    return None


@pytest.mark.parametrize("package", ["warehouse", "indexer", "pipelines", "api"])
def test_no_import_cycles(package: str) -> None:
    assert find_cycle(ROOT, package) is None


def test_an_import_inside_a_function_does_not_hide_a_cycle(tmp_path: Path) -> None:
    package = tmp_path / "sample"
    package.mkdir()
    (package / "orders.py").write_text("from sample import prices\n")
    (package / "prices.py").write_text("def total():\n    from sample.orders import lines\n    return lines\n")
    assert set(find_cycle(tmp_path, "sample") or ()) == {"sample.orders", "sample.prices"}


def test_imports_for_type_checkers_make_no_cycle(tmp_path: Path) -> None:
    package = tmp_path / "sample"
    package.mkdir()
    (package / "orders.py").write_text("from sample import prices\n")
    (package / "prices.py").write_text(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from sample import orders\n"
    )
    assert find_cycle(tmp_path, "sample") is None
