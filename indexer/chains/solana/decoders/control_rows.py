"""Rows of fact_control, and their places in a transaction, of which there are never more than fit.

A batch of a token program can change an authority 127 times, and a transaction can send dozens of batches. Where that
makes more rows than a transaction may have, only net changes are kept: one row for each mint and kind, from who held it
before the transaction to who holds it after. A transaction names at most 128 accounts and can open at most 64 mints
after it closed them. So with 17 kinds of control, net changes need fewer than 4,096 places.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import msgspec

from indexer.chains.solana.blocks import ROWS_OF_A_TRANSACTION, log_index
from indexer.chains.solana.decoders.frame import Columns
from indexer.chains.solana.decoders.mint_events import Authorised, Closed, Happening, OfAccount

ControlRow: TypeAlias = tuple[int, bytes, bytes, str, bytes, bytes, bool]
"""(log index, transaction, mint, kind, previous account, account, whether that one signed)"""
_COLUMNS = ("log_index", "transaction_hash", "address", "kind", "previous_account", "account", "signed")


def control_columns(rows: Sequence[tuple[int, ControlRow]]) -> Columns:
    """Rows of fact_control by column, from each with its slot."""
    columns: dict[str, list[Any]] = {"block_number": [slot for slot, _ in rows]}
    for name, column in zip(_COLUMNS, zip(*(row for _, row in rows), strict=True), strict=True):
        columns[name] = list(column)
    columns["kind"] = [kind.encode() for kind in columns["kind"]]
    return columns


@dataclass(slots=True)
class ControlRows:
    """The changes of one transaction, in order. Until ``placed``, a change's number stands for its log index."""

    rows: list[ControlRow] = field(default_factory=list)
    changes: list[tuple[Hashable, int]] = field(default_factory=list)
    """What each changes, and the places that it needs."""

    def take(self, changed: Hashable, places: int = 1) -> int:
        """The number of the next change."""
        self.changes.append((changed, places))
        return len(self.changes) - 1

    def add(self, transaction: bytes, mint: bytes, kind: str, previous: bytes, account: bytes, signed: bool) -> None:
        """A change that is a row now."""
        self.rows.append((self.take((mint, kind)), transaction, mint, kind, previous, account, signed))

    def placed(self, transaction_index: int, events: list[Happening]) -> tuple[list[ControlRow], list[Happening]]:
        """The rows, and the transaction's events, with the log indexes of those that are kept."""
        whole = sum(places for _, places in self.changes) <= ROWS_OF_A_TRANSACTION
        last = {changed: number for number, (changed, _) in enumerate(self.changes)}
        kept = range(len(self.changes)) if whole else sorted(last.values())
        indexes: dict[int, int] = {}
        row = 0
        for number in kept:
            indexes[number] = log_index(transaction_index, row)
            row += self.changes[number][1]
        return self._rows(indexes), [one for event in events if (one := _event(event, indexes)) is not None]

    def _rows(self, indexes: dict[int, int]) -> list[ControlRow]:
        whole = len(indexes) == len(self.changes)
        before: dict[tuple[bytes, str], bytes] = {}
        rows = []
        for number, transaction, mint, kind, previous, account, signed in self.rows:
            first = before.setdefault((mint, kind), previous)
            if number in indexes:
                found = previous if whole else first
                rows.append((indexes[number], transaction, mint, kind, found, account, signed))
        return rows


def _event(event: Happening, indexes: dict[int, int]) -> Happening | None:
    """The event with its log index; None if a later one of the transaction replaces it."""
    if isinstance(event, OfAccount):
        inner = event.event
        if not isinstance(inner, Authorised | Closed):
            return event
        found = _indexed(inner, indexes)
        return None if found is None else OfAccount(event.account, found)
    return _indexed(event, indexes) if isinstance(event, Authorised | Closed) else event


def _indexed(event: Authorised | Closed, indexes: dict[int, int]) -> Authorised | Closed | None:
    index = indexes.get(event.log_index)
    return None if index is None else msgspec.structs.replace(event, log_index=index)
