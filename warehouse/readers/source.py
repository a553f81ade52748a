"""The interface that readers need: the asynchronous warehouse, or anything with its methods."""

from collections.abc import Mapping
from typing import Any, Protocol

from warehouse.clickhouse import ArrowTable


class Source(Protocol):
    """Answers statements within a time limit; raises WarehouseUnavailable when it cannot."""

    async def rows(self, sql: str, parameters: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """The result as dictionaries."""
        ...

    async def arrow(self, sql: str, parameters: Mapping[str, Any] | None = None) -> ArrowTable:
        """The result as an Arrow table, strings as text."""
        ...
