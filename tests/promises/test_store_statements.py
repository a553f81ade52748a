"""Statements of the store: each file is valid SQL for the migrated schema, is used, and is given what it asks for."""

import ast
import importlib
import re
from collections.abc import Iterator
from dataclasses import MISSING, fields
from functools import cache
from pathlib import Path

import psycopg
import pytest

from warehouse.postgres import Connection

ROOT = Path(__file__).resolve().parents[2]
STORE = ROOT / "sql" / "store"
PLACEHOLDER = re.compile(r"%\((\w+)\)s")
METHODS = {"row", "rows", "execute", "store_rows"}
# Dagster makes its tables itself, in a schema of their own.
OF_DAGSTER = {"health/count_dagster_runs", "status/count_dagster", "dagster/remove_old_reports"}


def statements() -> dict[str, str]:
    """Every statement below ``sql/store``, by its name."""
    return {str(path.relative_to(STORE).with_suffix("")): path.read_text() for path in sorted(STORE.rglob("*.sql"))}


def with_numbers(statement: str) -> str:
    """The statement with PostgreSQL's own parameters, ``$1`` and so on."""
    names = list(dict.fromkeys(PLACEHOLDER.findall(statement)))
    return PLACEHOLDER.sub(lambda found: f"${names.index(found[1]) + 1}", statement).replace("%%", "%")


@cache
def sources() -> dict[Path, str]:
    """Python files of the packages and the tests."""
    folders = ("api", "indexer", "pipelines", "tests", "warehouse")
    return {path: path.read_text() for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))}


def calls() -> Iterator[tuple[str, str, set[str]]]:
    """Where a statement is called by name with a literal dictionary: the place, the statement, the keys."""
    for path, text in sources().items():
        for node in ast.walk(ast.parse(text)):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and len(node.args) > 1):
                continue
            name, given = node.args[0], node.args[1]
            if node.func.attr not in METHODS or not isinstance(name, ast.Constant) or not isinstance(given, ast.Dict):
                continue
            keys = [key.value for key in given.keys if isinstance(key, ast.Constant)]
            if len(keys) == len(given.keys):
                yield f"{path.relative_to(ROOT)}:{node.lineno}", str(name.value), {str(key) for key in keys}


def records() -> Iterator[tuple[str, str, set[str]]]:
    """Where a statement's rows are read as a record class: the place, the statement, the class's fields."""
    for path, text in sources().items():
        for node in ast.walk(ast.parse(text)):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and len(node.args) == 3):
                continue
            name, _, record = node.args
            if node.func.attr in METHODS and isinstance(name, ast.Constant) and isinstance(record, ast.Name):
                place = path.relative_to(ROOT)
                module = importlib.import_module(".".join(place.with_suffix("").parts))
                required = [field for field in fields(getattr(module, record.id)) if field.default is MISSING]
                yield f"{place}:{node.lineno}", str(name.value), {field.name for field in required}


def columns(store: Connection, statement: str) -> set[str]:
    """Names of the columns that a statement returns."""
    store.pgconn.prepare(b"described", with_numbers(statement).encode())
    described = store.pgconn.describe_prepared(b"described")
    store.execute("DEALLOCATE described")
    return {(described.fname(place) or b"").decode() for place in range(described.nfields)}


def test_every_statement_can_be_prepared(store: Connection) -> None:
    refused = {}
    for name, statement in statements().items():
        try:
            with store.transaction(force_rollback=True):
                store.execute(f"PREPARE checked AS {with_numbers(statement)}".encode())
                store.execute("DEALLOCATE checked")
        except psycopg.Error as error:
            refused[name] = str(error).splitlines()[0]
    assert set(refused) == OF_DAGSTER, refused


def test_a_misspelt_column_is_refused(store: Connection) -> None:
    with pytest.raises(psycopg.errors.UndefinedColumn), store.transaction():
        store.execute(f"PREPARE checked AS {with_numbers('SELECT walet FROM account WHERE id = %(id)s')}".encode())


def test_percent_signs_are_parameters_or_doubled() -> None:
    wrong = [name for name, text in statements().items() if "%" in PLACEHOLDER.sub("", text).replace("%%", "")]
    assert wrong == []


def test_every_statement_is_used() -> None:
    text = "\n".join(sources().values())
    # The status command puts the names of its counts together.
    named = [name for name in statements() if not name.startswith("status/count_")]
    assert [name for name in named if not re.search(rf'"(store/)?{name}"', text)] == []


def test_statements_called_by_name_get_exactly_their_parameters() -> None:
    known = {name: set(PLACEHOLDER.findall(statement)) for name, statement in statements().items()}
    found = [call for call in calls() if " " not in call[1]]
    assert len(found) > 40
    assert [(place, name) for place, name, keys in found if known.get(name) != keys] == []


def test_records_have_the_columns_of_their_statements(store: Connection) -> None:
    found = list(records())
    assert len(found) > 25
    wrong = {}
    for place, name, required in found:
        returned = columns(store, statements()[name])
        if missing := required - returned:
            wrong[place, name] = missing
    assert wrong == {}
