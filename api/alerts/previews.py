"""What a rule would have done in the last 30 days: the readings that are kept, and the evaluation over them."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from api.alerts.repository import WatchedToken, token_parameters
from api.alerts.rules import Terms
from api.alerts.schemas import AlertPreview, PreviewReason
from api.http.times import unix_timestamp
from warehouse import sql
from warehouse.domain.addresses import digits_of
from warehouse.domain.alerts import ALERT_TYPES, Source
from warehouse.errors import StoreUnavailable, WarehouseError
from warehouse.readers.source import Source as Warehouse
from warehouse.store import Store

if TYPE_CHECKING:
    import polars as pl

MOST_SHOWN: Final = 100
_MOST_COPIES: Final = 10_000
_SECONDS: Final = 5.0
"""How long the creation of a rule waits for its preview."""


class _Unknown(Exception):
    """There is no preview, for a reason."""

    def __init__(self, reason: PreviewReason) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class _Reached:
    chain_id: int
    source: str
    reached: int
    judged_through: int | None


@dataclass(frozen=True, slots=True)
class AlertPreviews:
    """See the module."""

    store: Store
    warehouse: Warehouse

    async def of(self, token: WatchedToken, terms: Terms) -> AlertPreview:
        """The preview of a rule. Where nothing is known it says why: it is never 0 for want of data.

        Raises:
            WarehouseUnavailable, StoreUnavailable: the readings cannot be had now.
        """
        try:
            return await self._of(token, terms)
        except _Unknown as unknown:
            return AlertPreview.without(unknown.reason)

    async def of_new_rule(self, token: WatchedToken, terms: Terms) -> AlertPreview:
        """The preview of a rule that was just created, which is there whether or not this can be had."""
        try:
            async with asyncio.timeout(_SECONDS):
                return await self.of(token, terms)
        except (WarehouseError, StoreUnavailable, TimeoutError):
            return AlertPreview.without("unavailable")

    async def _of(self, token: WatchedToken, terms: Terms) -> AlertPreview:
        from warehouse.alerts.preview import moments_through, preview_rule  # loads Polars
        from warehouse.alerts.readings import begin_of, series_of

        source = terms.type.source
        moments = moments_through(await self._reached(token, source))
        begin = max(begin_of(source, moments[0], 60 * terms.window_minutes), 0)
        found = await self._series(token, source, begin, moments[-1])
        preview = await asyncio.to_thread(
            preview_rule,
            terms.type,
            terms.operator,
            float(terms.threshold),
            window_minutes=terms.window_minutes,
            cooldown_minutes=terms.cooldown_minutes,
            series=series_of(terms.type, found),
            moments=moments,
        )
        if not preview.judged:
            raise _Unknown("no_history")
        return AlertPreview(
            begin=unix_timestamp(moments[0]),
            end=unix_timestamp(moments[-1]),
            moments=len(moments),
            judged=preview.judged,
            firings=len(preview.fired),
            fired_at=_shown(preview.fired),
        )

    async def _reached(self, token: WatchedToken, source: Source) -> int:
        """How far the data of a source goes on the token's chain, in unix seconds."""
        for one in await self.store.rows("alerts/read_reached", {}, _Reached):
            if (one.chain_id, one.source) == (token.chain.chain_id, source):
                return one.reached
        raise _Unknown("no_history")

    async def _series(self, token: WatchedToken, source: Source, begin: int, until: int) -> "pl.DataFrame":
        """The token's readings: 288 a day at most."""
        import polars as pl

        from warehouse.alerts.readings import QUERIES, copies_series, standing_scores

        digits = digits_of(token.address)
        if source is Source.COPIES:
            return copies_series([digits], *await self._copies(token, begin, digits))
        parameters = {"chain_id": token.chain.chain_id, "token": digits, "from": begin, "until": until}
        rows = await self.warehouse.rows(sql.load(QUERIES[source]), parameters)
        names = [one.name for one in ALERT_TYPES.values() if one.source is source]
        columns = {"token_hex": pl.String, "at": pl.Int64, **dict.fromkeys(names, pl.Float64)}
        found = pl.DataFrame(rows, columns, orient="row")
        if source is not Source.HEARTBEATS:
            return found
        wanted = {"chain_id": token.chain.chain_id, "addresses": [token.address], "moment": begin}
        standing = [(row["address"], row["score"]) for row in await self.store.rows("alerts/list_scores", wanted)]
        return pl.concat([standing_scores(standing, begin), found])

    async def _copies(self, token: WatchedToken, begin: int, digits: str) -> tuple[int, list[tuple[str, int]]]:
        """Since when copies are known, and when each was seen since."""
        wanted = {**token_parameters(token), "begin": begin, "limit": _MOST_COPIES + 1}
        rows = await self.store.rows("alerts/preview_copies", wanted)
        if not rows:
            raise _Unknown("no_history")
        if len(rows) > _MOST_COPIES:
            raise _Unknown("too_much_history")
        # What was found in the moment in which the search began was there before.
        begun = max(begin, rows[0]["begun"])
        return begun, [(digits, row["at"]) for row in rows if row["at"] is not None and row["at"] > begun]


def _shown(fired: Sequence[int]) -> list[str]:
    return [moment for at in fired[-MOST_SHOWN:] if (moment := unix_timestamp(at)) is not None]
