"""The circuit breakers of the store and the warehouse, with probes over connections of their own.

The breaker of a chain belongs to the chain's reader (``indexer/chains/evm/reader.py``).
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from api.warehouse import WarehouseReader
from warehouse.breaker import PROBE_SECONDS, Breaker
from warehouse.clickhouse import UNKNOWN_CODE
from warehouse.errors import StoreUnavailable, WarehouseError, WarehouseUnavailable
from warehouse.store import OUTAGES, Store

_PROBES = 4
"""Probes that may wait for an answer at a time."""


@dataclass(frozen=True, slots=True)
class Guarded:
    """A breaker, and what closes it with its probe's connections."""

    breaker: Breaker
    close: Callable[[], Awaitable[None]]


def guard_store(url: str) -> Guarded:
    """A breaker of the store."""
    probe = Store(url, pool_size=_PROBES, timeout_seconds=PROBE_SECONDS, application_name="regalia-probe")

    async def answers() -> bool:
        return await probe.row("SELECT 1 AS alive") is not None

    return _guarded(Breaker("store", answers, outages=(*OUTAGES, StoreUnavailable)), probe.close)


def guard_warehouse(url: str) -> Guarded:
    """A breaker of the warehouse."""
    probe = WarehouseReader(url, timeout_seconds=PROBE_SECONDS)

    async def answers() -> bool:
        try:
            await probe.rows("SELECT 1 AS alive")
        except WarehouseError as error:
            return error.code != UNKNOWN_CODE  # a refusal is an answer: too many queries, no memory
        return True

    return _guarded(Breaker("warehouse", answers, outages=(WarehouseUnavailable,)), probe.close)


def _guarded(breaker: Breaker, close_probe: Callable[[], Awaitable[None]]) -> Guarded:
    async def close() -> None:
        await breaker.close()
        await close_probe()

    return Guarded(breaker, close)
