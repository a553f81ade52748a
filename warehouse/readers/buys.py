"""Reader of buys: swaps that took a token out of a pool."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from warehouse import sql
from warehouse.domain.amm import EXACT
from warehouse.readers.source import Source


@dataclass(frozen=True, slots=True)
class Buy:
    """A buy. Addresses are hexadecimal; ``amount_raw`` is in base units of the token, ``usd`` None if not known."""

    block_number: int
    log_index: int
    at: datetime
    transaction: str
    token: str
    buyer: str
    amount_raw: int
    usd: Decimal | None

    @property
    def place(self) -> tuple[int, int]:
        """Its place on the chain, which no other buy has."""
        return self.block_number, self.log_index


async def read_buys(
    source: Source, chain_id: int, tokens: Sequence[str], *, first: int, through: int, limit: int
) -> list[Buy]:
    """Buys of the tokens (hexadecimal) in blocks from ``first`` to ``through``, in their order, by one query."""
    parameters = {"chain_id": chain_id, "tokens": list(tokens), "first": first, "through": through, "limit": limit}
    return [_buy(row) for row in await source.rows(sql.load("queries/feeds/buys"), parameters)]


def _buy(row: dict[str, Any]) -> Buy:
    usd = None
    if row["quote_usd"] is not None:
        usd = EXACT.multiply(Decimal(row["quote_raw"]).scaleb(-row["quote_decimals"], EXACT), Decimal(row["quote_usd"]))
    return Buy(
        row["block_number"],
        row["log_index"],
        datetime.fromtimestamp(row["at"], UTC),
        row["transaction_hex"],
        row["token_hex"],
        row["buyer_hex"],
        int(row["amount_raw"]),
        usd,
    )
