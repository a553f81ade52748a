"""Running statements of ``sql/store``."""

from collections.abc import Mapping
from typing import Any, TypeVar

from warehouse import sql
from warehouse.postgres import Connection

Record = TypeVar("Record")


def store_rows(store: Connection, name: str, parameters: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
    """Run a statement and return its rows as dictionaries; none if it returns no rows."""
    cursor = store.execute(sql.load(f"store/{name}").encode(), parameters or {})
    return cursor.fetchall() if cursor.description else []


def store_records(
    store: Connection, record: type[Record], name: str, parameters: Mapping[str, Any] | None = None
) -> list[Record]:
    """Run a query and return its rows as ``record``, a class whose fields are named as the query's columns."""
    return [record(**row) for row in store_rows(store, name, parameters)]
