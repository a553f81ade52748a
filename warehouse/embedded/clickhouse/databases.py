"""Which databases the analyst sees: the others are missing from lists and cannot be read."""

import json
import re
from collections.abc import Mapping

from .access import PRIVATE_TABLES, Users, check_databases
from .engine import Engine, literal
from .errors import denied
from .protocol import Request

_ALWAYS_OPEN = frozenset({"system", "information_schema", "INFORMATION_SCHEMA"})
_TABLES_WITH_DATABASES = "SELECT table FROM system.columns WHERE database = 'system' AND name = 'database'"


class AnalystDatabases:
    """Confines the analyst's statements to the databases that ``Users.analyst_sees`` matches.

    The lists of ``system`` and ``information_schema`` are filtered by a setting, which a read-only statement cannot
    change. So are the private tables of ``system``, which some statements read without naming them, such as
    ``SHOW PROCESSLIST``.
    Views of a visible database still read the tables of others.
    """

    def __init__(self, engine: Engine, users: Users) -> None:
        self._engine = engine
        self._default = users.analyst_database
        self._sees = re.compile(users.analyst_sees) if users.analyst_sees else None
        self._filters: str | None = None

    def prepare(self, request: Request, sql: bytes) -> tuple[Mapping[str, str], str | None]:
        """The settings of an analyst's statement, and the database that it runs in; None for the server's own.

        Raises:
            ClickHouseError: it names a database that the analyst does not see.
        """
        database = request.database or self._default
        if self._filters is None:
            self._filters = self._make_filters()
        filters = {"additional_table_filters": self._filters}
        if self._sees is None:
            return filters, database or None
        hidden = {name for name in self._names("SELECT name FROM system.databases") if not self._is_open(name)}
        if database in hidden:
            raise denied(f"analyst: database {database} is not open to analysts")
        check_databases(sql, hidden)
        return filters, database or None

    def _is_open(self, name: str) -> bool:
        return name in _ALWAYS_OPEN or bool(self._sees and self._sees.fullmatch(name))

    def _make_filters(self) -> str:
        filters = {}
        if self._sees is not None:
            matches = literal(f"^(?:{self._sees.pattern})$")
            tables = self._names(_TABLES_WITH_DATABASES)
            filters = {f"system.{table}": f"match(database, {matches})" for table in tables}
            filters["system.databases"] = f"match(name, {matches})"
        filters |= {f"system.{table}": "0" for table in PRIVATE_TABLES}
        pairs = (f"{literal(table)}: {literal(condition)}" for table, condition in filters.items())
        return "{" + ", ".join(pairs) + "}"

    def _names(self, query: str) -> list[str]:
        handle = self._engine.handle()
        try:
            lines = handle.query(query, "JSONCompactEachRow").bytes().splitlines()
        finally:
            handle.close()
        return [json.loads(line)[0] for line in lines]
