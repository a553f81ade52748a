"""Statements on registrations and their tokens."""

from collections.abc import Iterable, Mapping, Set
from typing import Any

from warehouse.store import Row, Store

_INDEXED = "indexed_"


class RegistrationRepository:
    """Statements of the registration routes."""

    def __init__(self, store: Store) -> None:
        self.reads = store

    async def earliest_with_id(self, token_id: int, chain_id: int | None) -> Row | None:
        """The earliest mint with the id, on the chain if one is named."""
        return await self.reads.row("registrations/find_by_id", {"token_id": token_id, "chain_id": chain_id})

    async def first_of_symbol(self, symbol: str, chain_id: int | None) -> Row | None:
        """The first registration of a symbol; active ones come before ended ones."""
        return await self.reads.row("registrations/find_by_symbol", {"symbol": symbol, "chain_id": chain_id})

    async def standing_of_symbol(self, symbol: str) -> list[Row]:
        """The active registrations of a symbol, oldest first, each with the number of those linked to it."""
        return await self.reads.rows("registrations/list_of_symbol", {"symbol": symbol})

    async def attestations(self, chain_id: int, token_id: int) -> list[Row]:
        """The operator's statements about a registration, oldest first."""
        return await self.reads.rows("attestations/list", {"chain_id": chain_id, "token_id": token_id})

    async def published_block(self, chain_id: int) -> int | None:
        """The last block of a chain that was published; None before the first."""
        row = await self.reads.row("ingestion/find_last_block", {"chain_id": chain_id})
        return None if row is None else row["block_number"]

    async def status(self, symbol: str, chain_id: int, token: str | None) -> tuple[Row | None, Row | None]:
        """The active registration of a symbol on a chain, of one token if one is named; and the token: the registered
        one, else the named one, else the original."""
        rows = await self.reads.rows(
            "registrations/find_status", {"symbol": symbol, "chain_id": chain_id, "address": token}
        )
        found: dict[str, Any] = rows[0]
        indexed = {name.removeprefix(_INDEXED): value for name, value in found.items() if name.startswith(_INDEXED)}
        return (
            found if found["token_id"] is not None else None,
            indexed if indexed["address"] is not None else None,
        )

    async def standing_among(
        self, asked: Mapping[int, tuple[Iterable[str], Iterable[str]]]
    ) -> dict[int, tuple[Set[str], Set[str]]]:
        """Of tokens (0x in lower case) and symbols by chain, those with an active registration on that chain. The
        result may contain others that have one. No token or symbol has a comma or a semicolon."""
        lists = {
            "chain_ids": ",".join(map(str, asked)),
            "tokens": ";".join(",".join(tokens) for tokens, _ in asked.values()),
            "symbols": ";".join(",".join(symbols) for _, symbols in asked.values()),
        }
        rows = await self.reads.rows("registrations/filter_registered", lists)
        return {row["chain_id"]: (set(row["tokens"].split(",")), set(row["symbols"].split(","))) for row in rows}
