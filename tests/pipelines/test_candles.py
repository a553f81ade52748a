"""Dollar history: prices of quotes by the minute, candles of tokens, and what manipulation does to them."""

from decimal import Decimal
from itertools import product
from math import isqrt
from typing import Any

import pytest

from pipelines.refresh import refresh
from tests.factories.amounts import DOLLAR, ETHER
from tests.factories.ledger import START, USDC, WETH, Ledger, address
from tests.fixtures.derived import contents, forget
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chains
from warehouse.postgres import Connection

HOUR, BUCKET = 3_600, 300
WHOLE = Decimal(10) ** 18


def candles(warehouse: Warehouse, token: str, seconds: int = BUCKET) -> dict[int, dict[str, Any]]:
    """A token's candles by seconds since the chain began; prices are of a whole token with 18 decimals."""
    rows = warehouse.rows(
        "SELECT toUInt32(start) - {start:UInt32} AS at, open, high, low, close, volume_usd, liquidity_usd, trades"
        " FROM published_agg_token_candle WHERE token = unhex({token:String}) AND seconds = {seconds:UInt32}"
        " ORDER BY at",
        {"token": token, "seconds": seconds, "start": START},
    )
    for row in rows:
        row.update({name: row[name] and row[name] * WHOLE for name in ("open", "high", "low", "close")})
    return {row.pop("at"): row for row in rows}


def begin(ledger: Ledger) -> tuple[str, str, str]:
    """An empty genesis, and a block that makes what :func:`make_pools` does."""
    ledger.mine(0)
    ledger.mine(0)
    return make_pools(ledger)


def make_pools(ledger: Ledger) -> tuple[str, str, str]:
    """WETH at 2,000 dollars and PEPE at 0.001 WETH, each with a deep pool. Returns PEPE, its pool, and WETH's."""
    ledger.token(int(USDC, 16), "USDC", supply=10**15, decimals=6)
    ledger.token(int(WETH, 16), "WETH", supply=10**24)
    pepe = ledger.token(0x9E9E, "PEPE", supply=10**24)
    against_dollars = ledger.pool(0x7001, USDC, WETH)
    pool = ledger.pool(0x7002, pepe, WETH)
    ledger.sync(against_dollars, 2_000_000 * DOLLAR, 1_000 * ETHER)
    ledger.sync(pool, 100_000 * ETHER, 100 * ETHER)
    return pepe, pool, against_dollars


def trade(ledger: Ledger, pool: str, pepe: int, weth: int, *, wait: int = 0) -> None:
    """A sale of one whole token for some wei that leaves these reserves, some seconds later."""
    ledger.mine(wait)
    ledger.swap(pool, ETHER, -ETHER // 1000)
    ledger.sync(pool, pepe, weth)


def test_a_bucket_is_priced_by_the_depth_of_the_hour_before(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    pepe, pool, _ = begin(ledger)
    trade(ledger, pool, 100_000 * ETHER, 100 * ETHER, wait=HOUR + 60)
    trade(ledger, pool, 50_000 * ETHER, 100 * ETHER, wait=BUCKET)
    ledger.mine(HOUR)
    ledger.publish()
    refresh(warehouse, store, chains)
    found = candles(warehouse, pepe)
    # Nothing has had depth for an hour when the chain begins.
    assert list(found) == [0, HOUR, HOUR + BUCKET]
    assert (found[0]["close"], found[0]["volume_usd"]) == (None, None)
    first, second = found[HOUR], found[HOUR + BUCKET]
    assert (first["open"], first["close"], first["trades"]) == (Decimal(2), Decimal(2), 1)
    assert first["volume_usd"] == Decimal(2)
    # The pool held 100 WETH on one side, and as much in PEPE.
    assert first["liquidity_usd"] == Decimal(400_000)
    assert (second["open"], second["high"], second["low"], second["close"]) == (2, 4, 2, 4)
    hour = candles(warehouse, pepe, HOUR)[HOUR]
    assert (hour["open"], hour["high"], hour["low"], hour["close"]) == (2, 4, 2, 4)
    assert (hour["volume_usd"], hour["trades"]) == (4, 2)
    assert candles(warehouse, pepe, 24 * HOUR)[0]["close"] == 4


@pytest.mark.parametrize("years", [0, 2])
def test_pools_of_genesis_have_depth_from_the_first_complete_hour(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains, years: int
) -> None:
    ledger.mine(0)
    pepe, pool, _ = make_pools(ledger)
    begins = 2 * HOUR + years * 365 * 24 * HOUR
    ledger.mine(begins)
    ledger.publish()
    refresh(warehouse, store, chains)
    trade(ledger, pool, 100_000 * ETHER, 100 * ETHER, wait=HOUR + 60)
    ledger.mine(HOUR)
    ledger.publish()
    refresh(warehouse, store, chains, full=False)
    row = candles(warehouse, pepe)[begins + HOUR]
    assert (row["close"], row["volume_usd"], row["liquidity_usd"]) == (2, 2, 400_000)
    gradually = contents(warehouse)
    forget(warehouse, store)
    refresh(warehouse, store, chains)
    assert contents(warehouse) == gradually


def test_a_quote_is_priced_by_the_minute(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    _, _, pool = begin(ledger)
    ledger.mine(2 * HOUR)
    ledger.sync(pool, 3_000_000 * DOLLAR, 1_000 * ETHER)
    ledger.mine(600)
    ledger.publish()
    refresh(warehouse, store, chains)
    rows = warehouse.rows(
        "SELECT toUInt32(minute) - {start:UInt32} - 7200 AS at, usd FROM published_agg_quote_minute"
        " WHERE quote = unhex({weth:String}) AND at >= -3600 ORDER BY at",
        {"start": START, "weth": WETH},
    )
    by_minute = {row["at"]: row["usd"] for row in rows}
    # Two of five minutes do not move the median, three do.
    assert by_minute == {-3600: 2000, 0: 2000, 60: 2000, 120: 3000, 180: 3000, 240: 3000, 300: 3000}


def test_a_short_deviation_and_an_untrusted_pool_move_nothing(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    pepe, pool, _ = begin(ledger)
    fake = ledger.pool(0x7003, pepe, WETH, factory=address(0xFAFA))
    ledger.sync(fake, 10 * ETHER, 10**6 * ETHER)
    ledger.mine(2 * HOUR)
    trade(ledger, pool, 100 * ETHER, 100_000 * ETHER)
    trade(ledger, pool, 100_000 * ETHER, 100 * ETHER, wait=140)
    ledger.swap(fake, ETHER, -(10**5) * ETHER)
    ledger.sync(fake, 10 * ETHER, 10**6 * ETHER)
    # A deep pool of this hour does not weigh in it.
    new = ledger.pool(0x7004, pepe, WETH)
    ledger.sync(new, ETHER, 10**6 * ETHER)
    ledger.mine(HOUR)
    ledger.publish()
    refresh(warehouse, store, chains)
    row = candles(warehouse, pepe)[2 * HOUR]
    assert (row["open"], row["high"], row["low"], row["close"]) == (2, 2, 2, 2)
    assert row["volume_usd"] == 4


def test_a_state_that_stands_for_a_block_is_never_published(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    """Not even while it is the newest one, at the beginning of a bucket."""
    pepe, pool, _ = begin(ledger)
    ledger.mine(2 * HOUR)
    trade(ledger, pool, 100 * ETHER, 100_000 * ETHER)
    for wait, reserves in ((2, (100_000 * ETHER, 100 * ETHER)), (10, None), (300, None)):
        ledger.publish()
        refresh(warehouse, store, chains)
        published = [row["close"] for row in candles(warehouse, pepe).values()]
        assert {None} >= set(published) - {Decimal(2)}
        ledger.mine(wait)
        if reserves:
            ledger.sync(pool, *reserves)
    assert candles(warehouse, pepe).keys() == {0}
    ledger.publish()
    refresh(warehouse, store, chains, full=False)
    row = candles(warehouse, pepe)[2 * HOUR]
    assert (row["high"], row["close"], row["trades"]) == (2, 2, 1)


def test_prices_of_any_size_are_those_of_the_pools(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    """Tokens worth from 10^-12 to 10^9 dollars, in units of any size, in pools of both kinds and in both orders."""
    ledger.mine(0)
    ledger.mine(0)
    ledger.token(int(USDC, 16), "USDC", supply=10**15, decimals=6)
    dollars = 50_000 * DOLLAR
    expected, again = {}, []
    cases = product((0, 6, 18, 24), (-12, -3, 0, 9), (False, True), (False, True))
    for place, (decimals, exponent, concentrated, first) in enumerate(cases):
        unit_usd = Decimal(10) ** (exponent - decimals)
        tokens = int(Decimal(50_000) / unit_usd)
        if not 10**6 < tokens < 2**112:
            continue
        number = place + 1 if first else (0xFFFF << 140) + place
        token = ledger.token(number, "ANY", supply=1, decimals=decimals)
        pool = ledger.pool(
            0x7000 + place,
            *((token, USDC) if first else (USDC, token)),
            protocol="uniswap_v3" if concentrated else "uniswap_v2",
        )
        amounts = (tokens, dollars) if first else (dollars, tokens)
        root = isqrt((amounts[1] << 192) // amounts[0])
        if concentrated:
            ledger.position(pool, -887_220, 887_220, isqrt(amounts[0] * amounts[1]))
        expected[token] = unit_usd
        again.append((pool, concentrated, root, amounts))
    for wait in (0, HOUR + 60, 60):
        ledger.mine(wait)
        for pool, concentrated, root, amounts in again:
            if concentrated:
                ledger.initialize(pool, root)
            else:
                ledger.sync(pool, *amounts)
    ledger.mine(BUCKET)
    ledger.publish()
    refresh(warehouse, store, chains, steps=["tokens", "trades", "weights", "candles"])
    rows = warehouse.rows(
        "SELECT lower(hex(token)) AS token, close FROM published_agg_token_candle"
        " WHERE seconds = 300 AND close IS NOT NULL AND token != unhex({usdc:String})",
        {"usdc": USDC},
    )
    found = {row["token"]: row["close"] for row in rows}
    assert len(found) >= 20
    assert found.keys() == expected.keys()
    for token, unit_usd in expected.items():
        assert abs(found[token] - unit_usd) <= unit_usd * Decimal("1e-5"), token


def test_blocks_that_are_gone_leave_no_candles(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    pepe, pool, _ = begin(ledger)
    trade(ledger, pool, 100_000 * ETHER, 100 * ETHER, wait=HOUR + 60)
    ledger.publish()
    refresh(warehouse, store, chains)
    trade(ledger, pool, 50_000 * ETHER, 100 * ETHER, wait=2 * HOUR)
    ledger.mine(BUCKET)
    ledger.publish()
    refresh(warehouse, store, chains)
    assert candles(warehouse, pepe)[3 * HOUR]["close"] == 4
    ledger.revert_last_unit()
    ledger.mine(3 * HOUR)
    ledger.publish()
    refresh(warehouse, store, chains, full=False)
    assert list(candles(warehouse, pepe)) == [0, HOUR]
    assert list(candles(warehouse, pepe, HOUR)) == [0, HOUR]
    assert candles(warehouse, pepe, 24 * HOUR)[0]["close"] == 2
    gradually = contents(warehouse)
    forget(warehouse, store)
    refresh(warehouse, store, chains)
    assert contents(warehouse) == gradually
