"""Users create, change and delete feeds of buys."""

import asyncio
from typing import Any

from tests.api.alerts.feeds.conftest import Trades
from tests.fixtures.sign_in import SignInClient, authorized, new_wallet
from warehouse.domain.addresses import checksum_address

NOBODY = "0x00000000000000000000000000000000000b0b99"


async def test_a_feed_is_created_changed_and_deleted(trades: Trades) -> None:
    feed = await trades.made()
    assert feed | {"id": "", "createdAt": "", "afterBlock": 0} == {
        "id": "",
        "chainId": "eip155:8453",
        "tokenAddress": checksum_address(f"0x{trades.pepe}"),
        "wallet": None,
        "minUsd": 3_000,
        "minAmountRaw": None,
        "chat": None,
        "afterBlock": 0,
        "createdAt": "",
    }
    assert feed["afterBlock"] == trades.ledger.block - 2
    changed = await trades.ask("PUT", f"/{feed['id']}", json={"minAmountRaw": "10"})
    found = changed.json()["data"]["feed"]
    assert (found["minUsd"], found["minAmountRaw"]) == (None, "10")
    assert (await trades.ask("GET", f"/{feed['id']}")).json()["data"]["feed"] == found
    assert (await trades.ask("GET")).json()["data"]["feeds"] == [found]
    stranger = authorized(await SignInClient(trades.owner.service, trades.owner.clock).token(new_wallet()))
    for method, path in (("GET", ""), ("PUT", ""), ("DELETE", ""), ("GET", "/events")):
        body = {"json": {"minUsd": 1}} if method == "PUT" else {}
        answer = await trades.owner.service.anonymous.request(
            method, f"/api/v2/alerts/feeds/{feed['id']}{path}", headers=stranger, **body
        )
        assert (answer.status_code, answer.json()["code"]) == (404, "NOT_FOUND"), (method, path)
    assert (await trades.ask("DELETE", f"/{feed['id']}")).json()["data"] == {"id": feed["id"], "deleted": True}
    assert (await trades.ask("DELETE", f"/{feed['id']}")).status_code == 404
    refused: list[tuple[dict[str, Any], int, str]] = [
        ({"minUsd": None}, 400, "minUsd: must be given"),
        ({"minAmountRaw": "1"}, 400, "minUsd: must be given"),
        ({"minUsd": None, "minAmountRaw": "0"}, 400, "minAmountRaw"),
        ({"minUsd": None, "minAmountRaw": "1" * 79}, 400, "minAmountRaw"),
        ({"minUsd": -1}, 400, "minUsd"),
        ({"minUsd": 1e31}, 400, "minUsd"),
        ({"wallet": trades.owner.wallet.address}, 400, "tokenAddress: must be given"),
        ({"tokenAddress": None}, 400, "tokenAddress: must be given"),
        ({"tokenAddress": None, "wallet": NOBODY}, 403, "wallet"),
        ({"tokenAddress": NOBODY}, 400, "not indexed"),
        ({"chainId": "eip155:5"}, 400, "chainId"),
        ({"chat": {"channel": "telegram", "to": "12345"}}, 400, "chat.to"),
        ({"chat": {"channel": "discord", "to": "http://169.254.169.254/latest"}}, 400, "chat.to"),
    ]
    for changes, status, words in refused:
        answer = await trades.create(**changes)
        assert answer.status_code == status, (changes, answer.text)
        assert words in answer.json()["error"], (changes, answer.text)
    huge = '{"chainId": "eip155:8453", "tokenAddress": "%s", "minUsd": %s}'
    for number in ("NaN", "Infinity", "1e999"):
        headers = {**trades.owner.headers, "Content-Type": "application/json"}
        answer = await trades.owner.service.anonymous.post(
            "/api/v2/alerts/feeds", headers=headers, content=huge % (NOBODY, number)
        )
        assert answer.status_code == 400, answer.text


async def test_simultaneous_requests_never_exceed_the_plans_number(trades: Trades) -> None:
    answers = [answer for _ in range(8) for answer in await asyncio.gather(*(trades.create() for _ in range(4)))]
    assert {answer.status_code for answer in answers} <= {201, 403, 503}
    last = await trades.create()
    assert (last.status_code, last.json()["code"], last.json()["limit"]) == (403, "FEED_LIMIT", 5)
    assert len((await trades.ask("GET")).json()["data"]["feeds"]) == 5


async def test_an_id_that_no_event_has_is_refused(trades: Trades) -> None:
    feed = await trades.made()
    for text in ("latest", "1", "1:2:3", "-1:4", "9" * 30 + ":1"):
        answer = await trades.owner.service.anonymous.get(
            f"/api/v2/alerts/feeds/{feed['id']}/events", headers={**trades.owner.headers, "Last-Event-ID": text}
        )
        assert answer.status_code == 400
        assert answer.json()["error"].startswith("Last-Event-ID: must be the id of an event")
