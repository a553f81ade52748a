"""Segments: sets of wallets by what they hold and held of a token, all as of one block."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Final

from api.warehouse import WarehouseReader
from warehouse import sql
from warehouse.clickhouse import SentTable
from warehouse.domain.addresses import digits_of, stored_from_digits


class Segment(StrEnum):
    """A set of subscribed wallets; see docs/broadcasts.md."""

    ALL = "all"
    NEW_7D = "new_7d"
    CHURNED = "churned"
    REDUCED_50 = "reduced_50"
    WHALES = "whales"
    TOP_10 = "top_10"
    TOP_25 = "top_25"
    TOP_50 = "top_50"
    TOP_100 = "top_100"


_TOP: Final = {Segment.TOP_10: 10, Segment.TOP_25: 25, Segment.TOP_50: 50, Segment.TOP_100: 100}


@dataclass(frozen=True, slots=True)
class Holding:
    """What a wallet has of a token. ``rank``: among all holders, from 1; 0: it holds nothing."""

    balance_raw: int
    is_new: bool
    is_reduced: bool
    is_whale: bool
    rank: int

    def is_in(self, segment: Segment) -> bool:
        """Whether the wallet belongs to a segment."""
        holds = self.balance_raw > 0
        match segment:
            case Segment.ALL:
                return True
            case Segment.NEW_7D:
                return holds and self.is_new
            case Segment.CHURNED:
                return not holds
            case Segment.REDUCED_50:
                return holds and self.is_reduced
            case Segment.WHALES:
                return holds and self.is_whale
            case _:
                return holds and self.rank <= _TOP[segment]


NOTHING: Final = Holding(0, False, False, False, 0)
"""Of a wallet that the warehouse does not know to have held the token."""


@dataclass(frozen=True, slots=True)
class Holdings:
    """What wallets have of a token as of a block; None where none is published. ``held_raw``: what all holders have
    together."""

    by_wallet: Mapping[str, Holding]
    held_raw: int
    as_of_block: int | None

    def of(self, wallet: str) -> Holding:
        """What a wallet has."""
        return self.by_wallet.get(wallet, NOTHING)

    def selects(self, wallet: str, segments: Sequence[Segment]) -> bool:
        """Whether a wallet is in any of the segments; without segments every wallet is. Only who held the token once
        can have left it."""
        if not segments or Segment.ALL in segments:
            return True
        known = self.by_wallet.get(wallet)
        return known is not None and any(known.is_in(segment) for segment in segments)


async def read_holdings(
    warehouse: WarehouseReader, chain_id: int, token: str, wallets: Sequence[str], today: date
) -> Holdings:
    """What some wallets have of a token, by one query and so as of one block.

    Raises:
        WarehouseUnavailable: nobody can say now.
    """
    parameters = {"chain_id": chain_id, "token": digits_of(token), "today": today.isoformat()}
    # Sent as a table: of a token with millions of holders only the subscribers' rows come back.
    asked = SentTable("digits String", [(digits_of(wallet),) for wallet in wallets])
    table = await warehouse.arrow(sql.load("queries/holdings/of_token"), parameters, tables={"asked": asked})
    columns = {name: table.column(name).to_pylist() for name in table.column_names}
    found = {
        stored_from_digits(digits): Holding(int(balance), bool(new), bool(reduced), bool(whale), rank)
        for digits, balance, new, reduced, whale, rank in zip(
            columns["wallet_digits"],
            columns["balance"],
            columns["is_new"],
            columns["is_reduced"],
            columns["is_whale"],
            columns["holder_rank"],
            strict=True,
        )
    }
    block = columns["as_of_block"][0] if columns["as_of_block"] else None
    held_raw = int(columns["held"][0]) if columns["held"] else 0
    return Holdings(found, held_raw, block)
