"""Users see how often a rule would have fired in the last 30 days, before and when they create it."""

from datetime import UTC, datetime
from typing import Any

import pytest

from api.alerts import previews
from api.warehouse import WarehouseReader
from tests.factories.alerts import Readings
from tests.factories.registrations import address
from tests.fixtures.alerts import OTHER, Watcher
from warehouse.clickhouse import Warehouse
from warehouse.postgres import Connection

DAY, QUARTER = 86_400, 900
NOON = 1_767_225_600 + DAY // 2
UNKNOWN = {"from": None, "to": None, "moments": 0, "judged": 0, "firings": None, "firedAt": None}
PRICE_FALL = {"alertType": "price_change", "thresholdOperator": "pct_drop", "thresholdValue": 20}


@pytest.fixture
def readings(warehouse: Warehouse, store: Connection) -> Readings:
    return Readings(warehouse, store)


async def preview(watcher: Watcher, **rule: Any) -> dict[str, Any]:
    """The preview of a rule."""
    body = watcher.body(**rule)
    answer = await watcher.ask("POST", "/preview", json=body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()["data"]["preview"]
    return found


def moment(at: int) -> str:
    """A time as answers have it."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")


async def test_a_preview_says_how_often_and_when(warehouse_watcher: Watcher, readings: Readings) -> None:
    watcher = warehouse_watcher
    await watcher.set_plan("pro")
    readings.price(NOON - 10 * DAY, 4)
    readings.price(NOON - 5 * DAY, 3)  # 25 percent less, for as long as the window
    readings.price(NOON - 2 * DAY, 2)
    readings.price(NOON, 2)
    found = await preview(watcher, **PRICE_FALL)
    assert found == {
        "from": moment(NOON - 30 * DAY + QUARTER),
        "to": moment(NOON),
        "moments": 2880,
        "judged": 10 * 96 + 1 - 4,  # since the first price is an hour old
        "firings": 2,
        "firedAt": [moment(NOON - 5 * DAY), moment(NOON - 2 * DAY)],
        "reason": None,
    }
    assert await watcher.rules() == []
    made = await watcher.create(**PRICE_FALL)
    assert made.json()["data"]["preview"] == found
    assert (await preview(watcher, **PRICE_FALL, timeWindowMinutes=30 * 24 * 60))["reason"] == "no_history"


async def test_every_type_reads_its_own_history(warehouse_watcher: Watcher, readings: Readings) -> None:
    watcher = warehouse_watcher
    await watcher.set_plan("pro_plus")
    for at, score in ((NOON - 2 * DAY, 80), (NOON - DAY, 30), (NOON, 80)):
        readings.score(at, score)
    readings.holders(0, 40)
    readings.holders(NOON - DAY, -60)
    readings.reached("holders", as_of=NOON)
    readings.concentration(NOON // DAY - 2, top10=800, held=1_000)
    readings.price(NOON - DAY, 4, liquidity=1_000)
    readings.price(NOON, 4, volume=5_000)
    rules = {
        "heartbeat_score": ("lt", 60),
        "holder_count_drop": ("lt", 50),
        "top10_concentration": ("gt", 70),
        "liquidity_drop": ("lt", 2_000),
        "volume_anomaly": ("gt", 4_000),
    }
    fired = {}
    for name, (operator, threshold) in rules.items():
        found = await preview(watcher, alertType=name, thresholdOperator=operator, thresholdValue=threshold)
        fired[name] = found["firedAt"]
    assert fired == {
        "heartbeat_score": [moment(NOON - DAY)],
        "holder_count_drop": [moment(NOON - DAY + 3_600)],
        "top10_concentration": [moment((NOON // DAY - 1) * DAY)],
        "liquidity_drop": [moment(NOON - DAY)],
        "volume_anomaly": [moment(NOON)],
    }


async def test_copies_count_since_they_are_looked_for(
    watcher: Watcher, store: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.execute("INSERT INTO chain_checkpoint (chain_id, generation, block_number) VALUES (8453, 1, 7)")
    await watcher.set_plan("pro_plus")
    copies = {"alertType": "copycat_detected", "thresholdOperator": "gt", "thresholdValue": 1}
    assert await preview(watcher, **copies) == UNKNOWN | {"reason": "no_history"}
    for number, days in enumerate((10, 10, 2, 2)):
        store.execute(
            "INSERT INTO copy_sighting (chain_id, address, of_chain_id, of_token_id, first_seen_at, seen_at)"
            " VALUES (8453, %s, 8453, 1, now(), now() - make_interval(days => %s))",
            (address(number), days),
        )
    # The two that were found first were there before the service looked.
    found = await preview(watcher, **copies)
    assert (found["firings"], found["judged"]) == (1, 9 * 96)
    monkeypatch.setattr(previews, "_MOST_COPIES", 1)
    assert await preview(watcher, **copies) == UNKNOWN | {"reason": "too_much_history"}


async def test_without_readings_there_is_no_number(warehouse_watcher: Watcher, readings: Readings) -> None:
    await warehouse_watcher.set_plan("pro")
    unread = UNKNOWN | {"reason": "no_history"}
    assert await preview(warehouse_watcher, **PRICE_FALL) == unread
    readings.price(NOON, 4)
    assert await preview(warehouse_watcher, **PRICE_FALL, tokenAddress=OTHER) == unread


async def test_a_preview_is_refused_like_a_rule(watcher: Watcher) -> None:
    for changes, status, code in (
        ({"thresholdOperator": "gt", "thresholdValue": 100}, 400, "THRESHOLD_OUT_OF_REACH"),
        ({"tokenAddress": OTHER}, 400, "crown_required"),
        (PRICE_FALL, 403, "TIER_REQUIRED"),
    ):
        answer = await watcher.ask("POST", "/preview", json=watcher.body(**changes))
        assert (answer.status_code, answer.json()["code"]) == (status, code), changes
    for _ in range(3):
        await watcher.made()
    assert (await preview(watcher))["reason"] == "no_history", "the number of rules does not matter"


async def test_a_rule_is_created_without_the_warehouse(watcher: Watcher) -> None:
    await watcher.set_plan("pro")
    watcher.store.execute(
        "INSERT INTO derive_checkpoint (subject, chain_id, change_id, details)"
        " VALUES ('candles', 8453, 1, '{\"as_of\": 1767268800}')"
    )
    watcher.owner.service.services.warehouse = WarehouseReader("http://127.0.0.1:1/none", timeout_seconds=1)
    made = await watcher.create(**PRICE_FALL)
    assert made.status_code == 201
    assert made.json()["data"]["preview"] == UNKNOWN | {"reason": "unavailable"}
    answer = await watcher.ask("POST", "/preview", json=watcher.body(**PRICE_FALL))
    assert answer.status_code == 503
    assert answer.headers["retry-after"]
