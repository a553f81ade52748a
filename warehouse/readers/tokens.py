"""Reader of single tokens."""

from collections.abc import Mapping
from typing import Any

import orjson

from warehouse import sql
from warehouse.readers.source import Source


async def read_foremost_token(
    source: Source, symbol: str, chain_id: int, *, version: int, address: str = ""
) -> tuple[str, Mapping[str, Any]] | None:
    """The first token of a symbol on a chain, or the one at ``address``: its address (hexadecimal) and its document."""
    found = await source.rows(
        sql.load("queries/tokens/foremost"),
        {"symbol": symbol, "chain_id": chain_id, "version": version, "address": address},
    )
    return (found[0]["address_hex"], orjson.loads(found[0]["document"])) if found else None
