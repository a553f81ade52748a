"""Recording events in the log."""

import pytest

from api.store.events import record
from warehouse.domain.events.communities import InterestExpressed
from warehouse.domain.events.event import Occurrence
from warehouse.postgres import Connection
from warehouse.store import Store


async def test_an_event_is_recorded_once_and_only_with_its_transaction(store: Connection, store_url: str) -> None:
    events = Store(store_url, pool_size=1)
    event = InterestExpressed.example()

    async def save(key: str, *, then_fail: bool = False) -> None:
        async with events.transaction() as transaction:
            await record(transaction, Occurrence(event, key, "PEPE", chain_id=1))
            if then_fail:
                raise ZeroDivisionError

    for _ in range(2):
        await save("one")
    with pytest.raises(ZeroDivisionError):
        await save("two", then_fail=True)
    await events.close()
    rows = store.execute(
        "SELECT dedupe_key, payload, account_id, token_id, fanned_out_at,"
        " created_at > now() - interval '1 minute' AS new FROM event_log"
    ).fetchall()
    data = {member.name: member.example for member in event.members()}
    assert rows == [
        {
            "dedupe_key": "one", "payload": data, "account_id": None, "token_id": None, "fanned_out_at": None,
            "new": True,
        }
    ]  # fmt: skip
