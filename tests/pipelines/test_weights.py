"""Depth of pools, weights and seniority of tokens by the hour."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from pipelines.refresh import refresh
from pipelines.refresh_run import RefreshRun
from tests.factories.amounts import DOLLAR, ETHER
from tests.factories.economy import Q96, Economy
from tests.factories.ledger import START, USDC, Ledger, address
from tests.factories.weights import PlainWeights
from tests.fixtures.derived import LISTED, contents, forget
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chains
from warehouse.domain.copies import CopyRules
from warehouse.postgres import Connection

HOUR = 3_600
TOKEN = 0x9E9E


def weights(warehouse: Warehouse, token: str) -> dict[int, dict[str, Any]]:
    """Rows of a token by hours since the chain began."""
    rows = warehouse.rows(
        "SELECT toUInt32(hour) AS hour_seconds, weight_usd, held_usd, established_usd, since_hour"
        " FROM agg_token_weight FINAL WHERE deleted = 0 AND token = unhex({token:String}) ORDER BY hour",
        {"token": token},
    )
    return {(row.pop("hour_seconds") - START) // HOUR: row for row in rows}


def hour(number: int) -> datetime:
    """An hour of the chain."""
    return datetime.fromtimestamp(START, UTC) + timedelta(hours=number)


def begin(ledger: Ledger, dollars: int = 51_000) -> tuple[str, str]:
    """A token with a pool of so many dollars a side, from the chain's first second on. Returns token and pool."""
    ledger.mine(0)
    ledger.mine(0)
    ledger.token(int(USDC, 16), "USDC", supply=10**15, decimals=6)
    token = ledger.token(TOKEN, "PEPE", supply=10**24)
    pool = ledger.pool(0x7001, token, USDC)
    ledger.sync(pool, dollars * ETHER, dollars * DOLLAR)
    return token, pool


def go_on(ledger: Ledger, hours: float) -> None:
    """A block so many hours later, published."""
    ledger.mine(int(hours * HOUR))
    ledger.publish()


def test_a_pool_weighs_what_it_holds_beyond_the_minimum_for_every_complete_hour(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    token, _ = begin(ledger)
    go_on(ledger, 3.5)
    refresh(warehouse, store, chains)
    found = weights(warehouse, token)
    assert list(found) == [0, 1, 2]
    assert found[2] == {
        "weight_usd": Decimal(50_000),
        "held_usd": Decimal(50_000),
        "established_usd": Decimal(50_000),
        "since_hour": hour(0).replace(tzinfo=found[2]["since_hour"].tzinfo),
    }
    go_on(ledger, 49)
    refresh(warehouse, store, chains, full=False)
    found = weights(warehouse, token)
    assert list(found) == list(range(52))
    assert {row["weight_usd"] for row in found.values()} == {Decimal(50_000)}


def test_weights_are_what_plain_arithmetic_says_of_the_events(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    economy = Economy(ledger, 1)
    economy.create_assets()
    for _ in range(3):
        economy.add_blocks(25)
        ledger.publish()
        refresh(warehouse, store, chains, full=False)
    plain = PlainWeights(ledger)
    compared = 0
    for token, by_hour in plain.weights().items():
        expected = plain.standings(by_hour, CopyRules())
        found = weights(warehouse, token)
        assert list(found) == [(int(at.timestamp()) - START) // HOUR for at in expected]
        for row, (at, standing) in zip(found.values(), expected.items(), strict=True):
            near = [
                (row["weight_usd"], by_hour.get(at, 0)),
                (row["held_usd"], standing.held_usd),
                (row["established_usd"], standing.established_usd),
            ]
            # Each pool's dollars are rounded down to millionths.
            assert all(0 <= expected - stored < Decimal("0.0001") for stored, expected in near), (token, at, near)
            since = row["since_hour"]
            assert (since and since.timestamp()) == (standing.since and standing.since.timestamp())
        compared += len(found)
    assert compared > 100


def test_hours_that_a_reorganisation_reaches_are_computed_again(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    token, pool = begin(ledger)
    go_on(ledger, 3.5)
    refresh(warehouse, store, chains)
    # Two hours later liquidity is gone, an hour earlier than the head.
    ledger.mine(HOUR)
    ledger.sync(pool, 2_000 * ETHER, 2_000 * DOLLAR)
    go_on(ledger, 3)
    refresh(warehouse, store, chains)
    found = weights(warehouse, token)
    assert [int(found[at]["weight_usd"]) for at in (3, 4, 5, 6)] == [50_000, 1_000, 1_000, 1_000]
    ledger.revert_last_unit()
    go_on(ledger, 1)
    refresh(warehouse, store, chains, full=False)
    found = weights(warehouse, token)
    assert [int(row["weight_usd"]) for row in found.values()] == [50_000] * 4
    # Events of hours that were closed and are open again are remembered.
    go_on(ledger, 3)
    refresh(warehouse, store, chains, full=False)
    assert [int(row["weight_usd"]) for row in weights(warehouse, token).values()] == [50_000] * 7
    gradually = contents(warehouse)
    forget(warehouse, store)
    refresh(warehouse, store, chains)
    assert contents(warehouse) == gradually


def test_liquidity_counts_if_it_was_there_for_six_sevenths_of_an_hour(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    token, pool = begin(ledger, 2_000)
    deep, shallow = (900_000 * ETHER, 900_000 * DOLLAR), (2_000 * ETHER, 2_000 * DOLLAR)
    for seconds in (3_085, 3_086):
        # From the beginning of an hour.
        ledger.mine(START + (1 + (ledger.time - START) // HOUR) * HOUR - ledger.time)
        ledger.sync(pool, *deep)
        ledger.mine(seconds)
        ledger.sync(pool, *shallow)
    go_on(ledger, 1)
    refresh(warehouse, store, chains)
    assert [int(row["weight_usd"]) for row in weights(warehouse, token).values()] == [1_000, 1_000, 899_000]


@pytest.mark.parametrize("away", [97, 103])
def test_a_position_counts_as_what_it_held_at_the_price_of_six_sevenths_of_an_hour(
    away: int, ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    """A swap takes one side out of a position that stays. By the median price, half an hour of dollars would do."""
    token, _ = begin(ledger, 2_000)
    dollar = Q96 // 10**6
    pool = ledger.pool(0x7003, token, USDC, protocol="uniswap_v3")
    ledger.initialize(pool, dollar * away // 100)
    ledger.position(pool, -276_600, -276_060, 4 * ETHER)
    for seconds in (1_900, 3_085, 3_086):
        # From the beginning of an hour.
        ledger.mine(START + (1 + (ledger.time - START) // HOUR) * HOUR - ledger.time)
        ledger.swap(pool, 0, 0, sqrt_price=dollar, liquidity=4 * ETHER)
        ledger.mine(seconds)
        ledger.swap(pool, 0, 0, sqrt_price=dollar * away // 100)
    go_on(ledger, 1)
    refresh(warehouse, store, chains)
    found = [int(row["weight_usd"]) for row in weights(warehouse, token).values()]
    assert found[:-1] == [1_000] * (len(found) - 1)
    assert found[-1] > 50_000


def verdict(store: Connection, token: str) -> dict[str, Any]:
    """What the store says of a token."""
    row = store.execute("SELECT * FROM indexed_token WHERE address = %s", [f"0x{token}"]).fetchone()
    assert row is not None
    return row


def test_verdicts_change_as_hours_pass_without_any_event(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REGALIA_COPY_WINDOW_DAYS", "1")
    monkeypatch.setenv("REGALIA_COPY_SETTLE_HOURS", "3")
    original, _ = begin(ledger)
    go_on(ledger, 30)
    clone = ledger.token(TOKEN + 1, "\N{CYRILLIC CAPITAL LETTER ER}EPE", supply=10**24, creator=address(0xE1))
    pool = ledger.pool(0x7002, clone, USDC)
    ledger.sync(pool, 31_000 * ETHER, 31_000 * DOLLAR)
    copied, ends = [], []
    for hours in (19, 1, 1, 1, 1, 1):
        go_on(ledger, hours)
        refresh(warehouse, store, chains, full=False)
        found = verdict(store, clone)
        copied.append(found["is_copy"])
        ends.append(found["copy_until"])
        assert not verdict(store, original)["is_copy"]
    # 21 of 24 hours are held, and the rule has to be false for three.
    assert copied == [True] * 4 + [False] * 2
    assert [end is not None for end in ends] == [False, False, True, True, False, False]
    assert (found["weight_usd"], found["senior_since"]) == (Decimal(30_000), hour(30))
    ledger.sync(pool, 2_000 * ETHER, 2_000 * DOLLAR)
    copied = []
    for _ in range(5):
        go_on(ledger, 1)
        refresh(warehouse, store, chains, full=False)
        copied.append(verdict(store, clone)["is_copy"])
    assert copied == [False] * 3 + [True] * 2
    progress = store.execute("SELECT * FROM copy_progress").fetchone()
    assert progress is not None
    assert (progress["as_of_block"], progress["weighed_through"]) == (ledger.block, hour(59))
    gradually, listed = contents(warehouse), store.execute(LISTED).fetchall()
    forget(warehouse, store)
    refresh(warehouse, store, chains)
    assert contents(warehouse) == gradually
    assert store.execute(LISTED).fetchall() == listed


def test_other_thresholds_compute_all_hours_again(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains, monkeypatch: pytest.MonkeyPatch
) -> None:
    token, pool = begin(ledger)
    ledger.mine(30 * HOUR)
    ledger.sync(pool, 2_000 * ETHER, 2_000 * DOLLAR)
    go_on(ledger, 10)
    refresh(warehouse, store, chains)
    assert int(weights(warehouse, token)[39]["held_usd"]) == 1_000
    monkeypatch.setenv("REGALIA_COPY_REMEMBERED_DAYS", "1")
    monkeypatch.setenv("REGALIA_COPY_WINDOW_DAYS", "1")
    go_on(ledger, 24)
    refresh(warehouse, store, chains)
    assert [int(weights(warehouse, token)[at]["established_usd"]) for at in (39, 63)] == [50_000, 1_000]


class Killed(Exception):
    """Stands for the end of the process."""


def test_a_run_that_dies_at_any_statement_is_made_good_by_the_next(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(ledger)
    other = ledger.token(TOKEN + 1, "FROG", supply=10**24)
    pool = ledger.pool(0x7002, other, USDC)
    go_on(ledger, 21.5)
    refresh(warehouse, store, chains)
    transform = RefreshRun.transform
    left = [0]

    def dying(run: RefreshRun, name: str, parameters: dict[str, Any]) -> int:
        if name.startswith("weights/"):
            if left[0] == 0:
                raise Killed(name)
            left[0] -= 1
        return transform(run, name, parameters)

    died = set()
    for step in range(10):
        ledger.mine(HOUR)
        ledger.sync(pool, (2_000 + step) * ETHER, (2_000 + step) * DOLLAR)
        go_on(ledger, 2)
        if step % 2:
            refresh(warehouse, store, chains, full=False)
            ledger.revert_last_unit()
            ledger.mine(HOUR // 2)
            go_on(ledger, 1)
        left[0] = step // 2
        with monkeypatch.context() as patch:
            patch.setattr(RefreshRun, "transform", dying)
            try:
                refresh(warehouse, store, chains, full=False)
            except Killed as killed:
                died.add(str(killed))
    refresh(warehouse, store, chains)
    assert len(died) >= 5, died
    gradually = contents(warehouse)
    forget(warehouse, store)
    refresh(warehouse, store, chains)
    assert contents(warehouse) == gradually
