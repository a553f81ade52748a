"""A stream has every buy over the size that is final, once, however often its client comes back."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

import httpx
import pytest

from api.alerts.errors import TooManyStreams
from api.alerts.feeds import hub as hubs
from api.alerts.feeds.hub import BuyHub
from api.alerts.feeds.matching import FeedTerms
from api.alerts.feeds.reading import FeedReading
from tests.api.alerts.feeds.conftest import Trades
from tests.factories.registrations import add_registration
from tests.fixtures.http_server import serving_http

ACCOUNT = UUID(int=1)


class Stream:
    """A client of a stream."""

    def __init__(self, response: httpx.Response) -> None:
        self.lines = response.aiter_lines()

    async def event(self) -> tuple[str, dict[str, Any]]:
        """The next event: its id, and its data."""
        id, name = "", ""
        async with asyncio.timeout(60):
            async for line in self.lines:
                field, _, value = line.partition(": ")
                if field == "id":
                    id = value
                elif field == "event":
                    name = value
                elif field == "data":
                    return id, {"event": name, **json.loads(value)}
        raise AssertionError("the stream ended")


@asynccontextmanager
async def streaming(trades: Trades, url: str, feed: dict[str, Any], last: str | None = None) -> AsyncIterator[Stream]:
    """A stream that has begun."""
    headers = {**trades.owner.headers, **({} if last is None else {"Last-Event-ID": last})}
    async with (
        httpx.AsyncClient(timeout=60) as client,
        client.stream("GET", f"{url}/api/v2/alerts/feeds/{feed['id']}/events", headers=headers) as response,
    ):
        assert response.status_code == 200
        assert response.headers["content-type"].startswith("text/event-stream")
        yield Stream(response)


async def test_buys_come_once_when_they_are_final(trades: Trades) -> None:
    services = trades.owner.service.services
    services.buy_hub = BuyHub(FeedReading(services.store, services.warehouse), poll_seconds=0.05)
    feed = await trades.made()
    async with serving_http(trades.owner.service.app) as url:
        async with streaming(trades, url, feed) as stream:
            trades.sell()
            trades.buy(1, 2)
            first, data = await stream.event()
            assert first == f"{data['blockNumber']}:{data['logIndex']}"
            assert (data["event"], data["feedId"], data["amountRaw"], data["amountUsd"]) == (
                "buy",
                feed["id"],
                str(2_000 * 10**18),
                4_000,
            )
            # What a reorganisation removes before it is final was never told.
            trades.buy(3, final=False)
            await services.buy_hub.read()
            trades.ledger.revert_last_unit()
            trades.buy(4)
            second, data = await stream.event()
            assert data["amountUsd"] == 8_000
        async with streaming(trades, url, feed, first) as stream:
            assert (await stream.event())[0] == second
        async with streaming(trades, url, feed, second) as stream:
            trades.buy(5)
            assert (await stream.event())[1]["amountUsd"] == 10_000
    await services.buy_hub.close()


@pytest.fixture
def hub(trades: Trades) -> BuyHub:
    """A hub whose reads the test makes."""
    services = trades.owner.service.services
    return BuyHub(FeedReading(services.store, services.warehouse), poll_seconds=1_000)


def terms(trades: Trades, **changes: Any) -> FeedTerms:
    """What a feed of PEPE follows."""
    return FeedTerms(
        **{
            "id": UUID(int=7),
            "chain_id": 8453,
            "token_address": f"0x{trades.pepe}",
            "owner_wallet": None,
            "min_usd": None,
            "min_raw": 1,
            "after_block": 0,
            **changes,
        }
    )


async def test_a_client_that_does_not_read_holds_up_nobody(
    trades: Trades, hub: BuyHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hubs, "MOST_WAITING", 2)
    silent, reading = [await hub.join(ACCOUNT, terms(trades), None) for _ in range(2)]
    trades.buy(1, 1)
    await hub.read()
    kept = [reading.waiting.get_nowait() for _ in range(2)]
    trades.buy(1)
    await hub.read()
    assert reading.waiting.qsize() == 1
    read = [silent.waiting.get_nowait() for _ in range(3)]
    assert read == [*kept, None]
    # It comes back with what it read last, and has the rest.
    assert read[1] is not None
    back = await hub.join(ACCOUNT, terms(trades), read[1].place)
    await hub.read()
    assert back.waiting.get_nowait() == reading.waiting.get_nowait()
    await hub.close()


async def test_all_streams_of_a_chain_share_one_query(
    trades: Trades, hub: BuyHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = 0
    rows = hub.reading.warehouse.rows

    async def counted(*given: Any) -> list[dict[str, Any]]:
        nonlocal asked
        asked += 1
        return await rows(*given)

    monkeypatch.setattr(hub.reading.warehouse, "rows", counted)
    listeners = [await hub.join(UUID(int=number), terms(trades), None) for number in range(30)]
    trades.buy(1)
    await hub.read()
    assert asked == 1
    assert {one.waiting.qsize() for one in listeners} == {1}
    await hub.read()
    assert asked == 1, "nothing is new"
    # Those that are behind share a query of their own.
    trades.buy(1)
    first = listeners[0].waiting.get_nowait()
    assert first is not None
    late = [await hub.join(UUID(int=number), terms(trades), first.place) for number in range(30, 40)]
    await hub.read()
    assert {one.waiting.qsize() for one in late} == {1}
    assert asked == 3
    await hub.close()


async def test_an_account_has_five_streams(trades: Trades, hub: BuyHub) -> None:
    services = trades.owner.service.services
    services.buy_hub = hub
    feed = await trades.made()
    [account] = trades.ledger.store.execute(
        "SELECT id FROM account WHERE wallet = %s", (trades.owner.wallet.address.lower(),)
    ).fetchall()
    listeners = [await hub.join(account["id"], terms(trades), None) for _ in range(5)]
    with pytest.raises(TooManyStreams):
        await hub.join(account["id"], terms(trades), None)
    answer = await trades.ask("GET", f"/{feed['id']}/events")
    assert (answer.status_code, answer.json()["code"]) == (429, "TOO_MANY_STREAMS")
    assert answer.headers["retry-after"]
    hub.leave(listeners[0])
    await hub.join(account["id"], terms(trades), None)
    await hub.close()


async def test_a_wallet_is_followed_through_its_registrations(trades: Trades, hub: BuyHub) -> None:
    wallet = trades.owner.wallet.address.lower()
    listener = await hub.join(ACCOUNT, terms(trades, token_address=None, owner_wallet=wallet), None)
    trades.buy(1)
    await hub.read()
    assert listener.waiting.empty(), "it owns no registration"
    trades.buy(2)
    add_registration(trades.ledger.store, owner=wallet, token_address=f"0x{trades.pepe}")
    await hub.read()
    buy = listener.waiting.get_nowait()
    assert buy is not None
    assert buy.amount_raw == 2_000 * 10**18
    await hub.close()


async def test_who_was_away_for_too_long_is_told(trades: Trades, hub: BuyHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hubs, "MOST_BEHIND", 3)
    trades.buy(1, 1, 1, 1)
    assert (await hub.join(ACCOUNT, terms(trades), (1, 0))).gap
    assert not (await hub.join(ACCOUNT, terms(trades), None)).gap
    await hub.close()
