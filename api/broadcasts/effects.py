"""What recipients of a broadcast held afterwards, next to those who were held out of it.

Everybody who was meant to get it counts as a recipient, whether or not it arrived: who is reached differs in more than
the message. Balances are compared with those that the recipients were chosen by.
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from api.broadcasts.intervals import Interval, difference, share
from api.broadcasts.reports import Reports
from api.broadcasts.repository import ListedBroadcast, Page
from api.broadcasts.schemas import BroadcastEffect, EffectAfter, HoldingChanges, ShareDifferences, ShareInterval
from api.http.times import timestamp
from api.warehouse import WarehouseReader
from warehouse import sql
from warehouse.clickhouse import SentTable
from warehouse.domain.addresses import digits_of

AFTER_DAYS: Final = (1, 7, 30)


@dataclass(frozen=True, slots=True)
class Effects:
    """Reads how holdings changed after a broadcast."""

    reports: Reports
    warehouse: WarehouseReader

    async def of(self, page: Page, id: UUID) -> BroadcastEffect:
        """The changes after each number of days that are over.

        Raises:
            NoSuchBroadcast: the page has none with this id.
            WarehouseUnavailable: nobody can say now.
        """
        row = await self.reports.row(page, id)
        blocks = await self._last_blocks(page, row)
        changes = await self._changes(page, row, list(blocks)) if blocks else {}
        return BroadcastEffect(
            id=str(row.id),
            as_of_block=row.as_of_block,
            sent_at=None if row.sent_at is None else timestamp(row.sent_at),
            after=[_after(days, row, blocks, changes) for days in AFTER_DAYS],
        )

    async def _last_blocks(self, page: Page, row: ListedBroadcast) -> dict[date, int]:
        """The last block of each day that is over."""
        if row.sent_at is None or row.as_of_block is None:
            return {}
        days = [_day(row.sent_at, days).isoformat() for days in AFTER_DAYS]
        parameters = {"chain_id": page.chain_id, "days": days, "since_block": row.as_of_block}
        rows = await self.warehouse.rows(sql.load("queries/holdings/ends_of_days"), parameters)
        return {one["day"]: one["last_block"] for one in rows if one["is_over"]}

    async def _changes(self, page: Page, row: ListedBroadcast, days: list[date]) -> dict[tuple[date, bool], Any]:
        """Of each day and group, how many wallets hold more, as much, less or nothing."""
        held = await self.reports.repository.store.rows("broadcasts/list_holdings", {"id": row.id})
        asked = SentTable(
            "digits String, balance String, held_out UInt8",
            [(digits_of(one["wallet"]), f"{one['balance_raw']:f}", int(one["held_out"])) for one in held],
        )
        parameters = {
            "chain_id": page.chain_id,
            "token": digits_of(page.token_address),
            "days": [day.isoformat() for day in days],
        }
        table = await self.warehouse.arrow(sql.load("queries/holdings/changes"), parameters, tables={"asked": asked})
        return {(date.fromisoformat(one["day"]), bool(one["held_out"])): one for one in table.to_pylist()}


def _day(sent_at: datetime, days: int) -> date:
    """The day at whose end balances are compared."""
    return sent_at.astimezone(UTC).date() + timedelta(days=days)


def _after(
    days: int, row: ListedBroadcast, blocks: dict[date, int], changes: dict[tuple[date, bool], Any]
) -> EffectAfter:
    day = None if row.sent_at is None else _day(row.sent_at, days)
    if day not in blocks:
        return EffectAfter(days=days, as_of_block=None, recipients=None, held_out=None, difference=None)
    recipients, held_out = (_changes_of(changes.get((day, group))) for group in (False, True))
    return EffectAfter(
        days=days,
        as_of_block=blocks[day],
        recipients=recipients,
        held_out=held_out,
        difference=ShareDifferences(
            **{
                name: _wire(difference(_share(recipients, name), _share(held_out, name)))
                for name in ("more", "less", "nothing")
            }
        ),
    )


def _changes_of(row: dict[str, Any] | None) -> HoldingChanges:
    counts = {name: row[name] if row else 0 for name in ("accounts", "more", "same", "less", "nothing")}
    shares = {f"{name}_share": _wire(share(counts[name], counts["accounts"])) for name in ("more", "less", "nothing")}
    return HoldingChanges(**counts, **shares)


def _share(changes: HoldingChanges, name: str) -> Interval | None:
    return share(getattr(changes, name), changes.accounts)


def _wire(interval: Interval | None) -> ShareInterval | None:
    return None if interval is None else ShareInterval(**interval._asdict())
