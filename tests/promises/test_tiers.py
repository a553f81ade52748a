"""``make quick`` leaves out what is slow, without anybody having to remember a mark."""

import ast
from pathlib import Path

import pytest

from tests.fixtures.checkout import CHECKOUT
from tests.fixtures.tiers import SLOW_FIXTURES, SLOW_FOLDERS, is_slow

TESTS = CHECKOUT / "tests"
STARTS_PROCESSES = ("tests.fixtures.demo", "tests.fixtures.browser", "tests.fixtures.killable_engines")
"""Modules that start a service, a browser or engines in every test that imports them."""


@pytest.mark.parametrize("fixture", sorted(SLOW_FIXTURES))
def test_tests_of_a_slow_fixture_are_slow(fixture: str) -> None:
    assert is_slow({"tmp_path", fixture}, TESTS / "api" / "test_any.py")


@pytest.mark.parametrize("folder", SLOW_FOLDERS)
def test_tests_of_a_slow_folder_are_slow(folder: str) -> None:
    assert (TESTS / folder).is_dir()
    assert is_slow(set(), TESTS / folder / "test_any.py")


def test_others_are_quick() -> None:
    assert not is_slow({"tmp_path", "store", "warehouse", "serve"}, TESTS / "api" / "test_any.py")


def test_every_slow_fixture_exists() -> None:
    defined = {
        node.name
        for path in TESTS.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef) and any("fixture" in ast.dump(one) for one in node.decorator_list)
    }
    assert defined >= SLOW_FIXTURES


def test_test_modules_that_start_a_service_carry_the_mark() -> None:
    for path in sorted(TESTS.rglob("test_*.py")):
        if path.is_relative_to(TESTS / "promises") or is_slow(set(), path):
            continue
        if imports(path, STARTS_PROCESSES):
            text = path.read_text()
            assert "mark.slow" in text or any(name in text for name in SLOW_FIXTURES), path


def imports(path: Path, modules: tuple[str, ...]) -> bool:
    """Whether a file imports one of the modules."""
    nodes = ast.walk(ast.parse(path.read_text()))
    return any(isinstance(node, ast.ImportFrom) and node.module in modules for node in nodes)
