"""What the largest holders had at the end of each day."""

from typing import Any

from pipelines.refresh import refresh
from tests.factories.ledger import Ledger, address
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chains
from warehouse.postgres import Connection

DAY = 86_400
STEPS = ["tokens", "concentration"]


def days(warehouse: Warehouse) -> list[tuple[Any, ...]]:
    rows = warehouse.rows("SELECT day, top10_raw, held_raw FROM published_agg_top_day ORDER BY day")
    return [(row["day"].toordinal(), row["top10_raw"], row["held_raw"]) for row in rows]


def test_each_day_that_is_over_has_what_the_ten_largest_held(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    ledger.mine()
    token = ledger.token(0x9E9E, "PEPE", supply=120, creator=address(1))
    ledger.publish()
    refresh(warehouse, store, chains, steps=STEPS)
    assert days(warehouse) == []
    ledger.mine(DAY)
    for number in range(2, 13):
        ledger.transfer(token, address(1), address(number), 10)
    ledger.publish()
    refresh(warehouse, store, chains, steps=STEPS, full=False)
    first = days(warehouse)[0][0]
    assert days(warehouse) == [(first, 120, 120)]
    ledger.mine(2 * DAY)
    ledger.publish()
    refresh(warehouse, store, chains, steps=STEPS, full=False)
    assert days(warehouse) == [(first, 120, 120), (first + 1, 100, 120)]
    # The day of the transfers is gone, and was another.
    ledger.revert_last_unit()
    ledger.revert_last_unit()
    ledger.mine(DAY)
    ledger.transfer(token, address(1), address(0), 20)
    ledger.mine(DAY)
    ledger.publish()
    refresh(warehouse, store, chains, steps=STEPS, full=False)
    assert days(warehouse) == [(first, 120, 120), (first + 1, 100, 100)]
