"""Whom broadcasts reach: who opted in, each once, and nobody else, over every channel."""

import asyncio
import base64
import json
import os
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from unittest.mock import patch

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from api.broadcasts.engine import broadcast_engine
from api.http.times import timestamp
from api.ops.commands import broadcasts as commands
from tests.fixtures.broadcasts import PATH, Broadcasts
from tests.fixtures.community import Community, Member
from tests.fixtures.messages import Posted
from warehouse.errors import StoreUnavailable

ALL = ["inapp", "push", "email", "xmtp", "sms", "telegram", "discord"]
ROOMS = {"telegram": "-1001234567890", "discord": "/api/webhooks/123456789012345678/abcdefghijklmnopqrstuvwxyz"}


def push_address(community: Community, name: str) -> str:
    point = ec.generate_private_key(ec.SECP256R1()).public_key()
    raw = point.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    keys = {"p256dh": base64.urlsafe_b64encode(raw).decode(), "auth": base64.urlsafe_b64encode(bytes(16)).decode()}
    return json.dumps({"endpoint": f"{community.vendors.url}/push/{name}", "keys": keys})


async def reachable(community: Community, number: int, *channels: str) -> Member:
    """A holder with a confirmed contact on every channel, who opted in to some."""
    member = await community.holder(amount=1000 - number)
    addresses = {
        "email": f"frog{number}@pepe.example",
        "sms": f"+4144668180{number}",
        "telegram": f"550{number}",
        "discord": f"12345678901234567{number}",
        "push": push_address(community, f"{number}"),
    }
    for channel, address in addresses.items():
        await member.ok("PUT", f"/contacts/{channel}", {"to": address})
    community.store.execute("UPDATE contact SET confirmed_at = now()")
    if channels:
        await member.subscribe(*channels)
    return member


def reached(community: Community, number: int) -> set[str]:
    """The channels over which a member got the broadcast."""
    vendors = community.vendors
    found = {
        "email": [mail for mail in community.mail.to(f"frog{number}@pepe.example") if "speaks" in mail["Subject"]],
        "sms": [one for one in vendors.at("/Messages.json") if one.form["To"].endswith(f"80{number}")],
        "telegram": [one for one in vendors.at("/sendMessage") if one.json["chat_id"] == 5500 + number],
        "discord": [one for one in vendors.at("/users/") if one.json["recipient_id"].endswith(f"7{number}")],
        "push": vendors.at(f"/push/{number}"),
    }
    assert all(len(requests) <= 1 for requests in found.values()), "each once"
    return {channel for channel, requests in found.items() if requests}


async def inbox(member: Member) -> list[str]:
    return [one["title"] for one in (await member.ok("GET", "/inbox"))["messages"]]


async def test_only_what_was_chosen_and_confirmed_reaches_anybody(broadcasts: Broadcasts) -> None:
    community = broadcasts.community
    members = [
        await reachable(community, 0),
        await reachable(community, 1, "inapp"),
        await reachable(community, 2, *ALL),
        await reachable(community, 3, "email", "sms"),
        await reachable(community, 4, *ALL),
    ]
    community.store.execute(
        "UPDATE contact SET confirmed_at = NULL"
        " WHERE account_id = (SELECT account_id FROM account_wallet WHERE wallet = %s)",
        (members[4].address,),
    )
    sent = await broadcasts.send(channels=ALL)
    assert sent["recipientCount"] == 4
    vendors = {"email", "sms", "telegram", "discord", "push"}
    assert [reached(community, n) for n in range(5)] == [set(), set(), vendors, {"email", "sms"}, set()]
    read = [await inbox(member) for member in members]
    assert [len(titles) for titles in read] == [0, 1, 1, 0, 1]
    report = await broadcasts.report(sent["id"])
    assert (report["status"], report["recipients"], report["asOfBlock"]) == ("sent", 4, 100)
    counts = {(one["channel"], one["status"]): one["count"] for one in report["results"]}
    assert counts == {
        ("inapp", "delivered"): 3,
        **{(one, "delivered"): 1 for one in vendors},
        ("email", "delivered"): 2,
        ("sms", "delivered"): 2,
    }
    results = (await community.owner.ok("GET", f"{PATH}/messages/{sent['id']}/recipients"))["results"]
    assert [one["wallet"] for one in results if one["channel"] == "sms"] == [
        members[2].wallet.address,
        members[3].wallet.address,
    ], "largest holders first"
    assert "pepe.example" not in json.dumps(results)


async def test_mail_can_be_left_with_one_click(broadcasts: Broadcasts) -> None:
    community = broadcasts.community
    member = await reachable(community, 1, "inapp", "email")
    await broadcasts.send(channels=["inapp", "email"])
    (mail,) = [one for one in community.mail.to("frog1@pepe.example") if "speaks" in one["Subject"]]
    assert len(mail.get_all("List-Unsubscribe", [])) == 1
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    path = mail["List-Unsubscribe"].strip("<>").removeprefix("https://api.crowns.example")
    browser = community.service.anonymous
    assert (await browser.get(path)).status_code == 405, "programs that open links to check them end nothing"
    assert (await member.ok("GET", "/registration/7/subscription?chain=base"))["channels"] == ["inapp", "email"]
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    assert (await browser.post(path, content=b"List-Unsubscribe=One-Click", headers=form)).status_code == 200
    await broadcasts.send(channels=["inapp", "email"])
    assert (reached(community, 1), len(await inbox(member))) == ({"email"}, 2)


async def test_who_leaves_between_queueing_and_sending_gets_nothing(broadcasts: Broadcasts) -> None:
    community = broadcasts.community
    await reachable(community, 1, "inapp", "email")
    second = await reachable(community, 2, "inapp", "email")
    third = await reachable(community, 3, "inapp", "email")
    await broadcasts.post(channels=["inapp", "email"])
    engine = broadcasts.engine
    while await engine.fan_out():
        pass
    await second.ok("DELETE", "/registration/7/subscription?chain=base")
    await third.ok("DELETE", "/contacts/email")
    await engine.run_until_idle()
    assert [reached(community, n) for n in (1, 2, 3)] == [{"email"}, set(), set()]
    rows = community.store.execute("SELECT status, problem FROM broadcast_delivery ORDER BY problem").fetchall()
    assert [row["problem"] for row in rows] == ["the contact was removed", "the recipient left", None]


LOSSES = {
    "a manager is removed": "UPDATE registration SET managers = '{}'",
    "the owner sold it": "UPDATE registration SET owner = '0x' || repeat('9', 40), managers = '{}'",
    "a settled deal minted it anew": "UPDATE registration SET released_at = now()",
    "it expired": "UPDATE registration SET expired_at = now()",
    "the id came back for another token": "UPDATE registration SET token_address = '0x' || repeat('8', 40)",
}


@pytest.mark.parametrize("when", ["before it is queued", "before it is sent"])
@pytest.mark.parametrize("loss", LOSSES)
async def test_a_sender_who_lost_the_role_sends_nothing(broadcasts: Broadcasts, when: str, loss: str) -> None:
    community = broadcasts.community
    member = await reachable(community, 1, "inapp", "email")
    manager = await community.member()
    community.store.execute("UPDATE registration SET managers = %s", ([manager.address],))
    sender = manager if loss == "a manager is removed" else community.owner
    answer = await broadcasts.post(sender, channels=["inapp", "email"])
    assert answer.status_code == 200
    engine = broadcasts.engine
    if when == "before it is sent":
        while await engine.fan_out():
            pass
    community.store.execute(LOSSES[loss].encode())
    await engine.run_until_idle()
    assert reached(community, 1) == set()
    row = community.store.execute("SELECT status, status_reason FROM broadcast").fetchone()
    if when == "before it is queued":
        assert row == {"status": "cancelled", "status_reason": "the sender is no longer owner or manager"}
        assert await inbox(member) == []
    else:
        deliveries = community.store.execute("SELECT status FROM broadcast_delivery").fetchall()
        assert {one["status"] for one in deliveries} == {"skipped"}


async def test_a_scheduled_broadcast_waits_for_its_time(broadcasts: Broadcasts) -> None:
    community = broadcasts.community
    member = await reachable(community, 1, "inapp")
    moment = timestamp(community.clock.now().replace(microsecond=0))
    early = community.clock.now().timestamp() + 301
    due = timestamp(datetime.fromtimestamp(early, UTC))
    sent = await broadcasts.send(scheduledAt=due)
    assert (sent["status"], sent["scheduledAt"][:19], await inbox(member)) == ("queued", due[:19], [])
    assert sent["scheduledAt"] > moment
    community.clock.advance(minutes=6)
    await broadcasts.engine.run_until_idle()
    assert await inbox(member) == ["The frog speaks"]


def in_rooms(community: Community) -> list[Posted]:
    """The posts in public rooms."""
    return [one for one in community.vendors.posted if "/webhooks/" in one.path or b"-1001234567890" in one.body]


async def test_rooms_get_one_post_unless_it_is_for_some(broadcasts: Broadcasts) -> None:
    community = broadcasts.community
    owner, vendors = community.owner, community.vendors
    await reachable(community, 1, "inapp")
    for channel, address in ROOMS.items():
        await owner.ok("PUT", f"{PATH}/rooms/{channel}", {"to": vendors.url + address if "/" in address else address})
    state = {one["channel"]: one for one in (await owner.ok("GET", f"{PATH}/delivery"))["channels"]}
    assert {channel for channel, one in state.items() if one["postsPublicly"]} == {"telegram", "discord"}
    assert (state["inapp"]["subscribers"], state["xmtp"]["configured"]) == (1, False)
    await broadcasts.send(channels=ALL)
    assert len(in_rooms(community)) == 2
    await broadcasts.send(channels=ALL, segments=["all"])
    assert len(in_rooms(community)) == 2
    stored = str(community.store.execute("SELECT * FROM community_room").fetchall())
    assert "webhooks" not in stored
    await owner.ok("DELETE", f"{PATH}/rooms/telegram")
    assert (await owner.ask("DELETE", f"{PATH}/rooms/telegram")).status_code == 404


async def test_a_vendor_that_fails_is_tried_again_and_a_dead_contact_never(broadcasts: Broadcasts) -> None:
    community = broadcasts.community
    await reachable(community, 1, "inapp", "telegram")
    path = "/bot12:telegram-token/sendMessage"
    community.vendors.answers[path] = [(500, {}), (403, {})]
    sent = await broadcasts.send(channels=["inapp", "telegram"])
    assert (await broadcasts.report(sent["id"]))["results"][1]["status"] == "pending"
    community.clock.advance(minutes=2)
    await broadcasts.engine.run_until_idle()
    assert (await broadcasts.report(sent["id"]))["results"][1]["status"] == "exhausted"
    requests = len(community.vendors.at("/sendMessage"))
    await broadcasts.send(channels=["inapp", "telegram"])
    assert len(community.vendors.at("/sendMessage")) == requests, "the contact takes no more messages"


async def test_a_first_large_broadcast_waits_for_the_operator(broadcasts: Broadcasts) -> None:
    community = broadcasts.community
    broadcasts.crowd(501)
    held = await broadcasts.send()
    assert (held["status"], held["recipientCount"]) == ("review", 0)
    await review(community, held["id"], None)
    community.clock.advance(minutes=10)
    await broadcasts.engine.run_until_idle()
    report = await broadcasts.report(held["id"])
    assert (report["status"], report["recipients"]) == ("sent", 501)
    assert (await broadcasts.send())["recipientCount"] == 501, "from now on"
    rows = community.store.execute("SELECT count(*) AS n FROM inbox_entry").fetchone()
    assert rows is not None
    assert rows["n"] == 1002


async def test_a_refused_broadcast_counts_against_nothing(broadcasts: Broadcasts) -> None:
    community = broadcasts.community
    broadcasts.crowd(501)
    held = await broadcasts.send()
    await review(community, held["id"], "no")
    report = await broadcasts.report(held["id"])
    assert (report["status"], report["explanation"]) == ("refused", "no")
    limits = await community.owner.ok("GET", f"{PATH}/limits")
    assert ([one["used"] for one in limits["limits"]], limits["reviewed"]) == ([0, 0], False)


async def review(community: Community, id: str, refusal: str | None) -> None:
    given = {
        "REGALIA_DATABASE_URL": community.settings["database_url"],
        "REGALIA_CLICKHOUSE_URL": community.settings["clickhouse_url"],
        "REGALIA_DATA_DIR": str(community.settings["data_dir"]),
    }
    with patch.dict(os.environ, given):
        await asyncio.to_thread(commands.review, id, refusal)


async def test_the_largest_are_reached_once_though_workers_die_at_every_step(broadcasts: Broadcasts) -> None:
    community = broadcasts.community
    services = community.service.services
    services.settings.__dict__["broadcast_review_above"] = 10**6
    broadcasts.crowd(2_510)
    community.hold(*((f"0x{n:040x}", 3, n) for n in range(1, 2_511)))
    sent = await broadcasts.post()
    steps = 0
    while True:
        queueing: Any = broadcast_engine(services).queue.making  # type: ignore[attr-defined]
        queueing = replace(queueing, batch=500, audience=replace(queueing.audience, most=2_500))
        await die_in(queueing, community)
        made, _ = await queueing.step(community.clock.now())
        if not made:
            break
        steps += 1
    assert steps == 6, "one chooses, five make 500 each"
    row = community.store.execute(
        "SELECT count(*) AS n, count(DISTINCT account_id) AS accounts, min(wallet) AS least"
        " FROM inbox_entry JOIN account ON account.id = account_id"
    ).fetchone()
    assert row == {"n": 2_500, "accounts": 2_500, "least": f"0x{11:040x}"}, "who holds least is left out"
    report = await broadcasts.report(sent.json()["id"])
    assert (report["status"], report["recipients"]) == ("sent", 2_500)


async def die_in(queueing: Any, community: Community) -> None:
    """End a step's transaction just before it would commit, as the death of its worker does."""
    store = queueing.repository.store
    transaction = store.transaction

    @asynccontextmanager
    async def dying() -> Any:
        async with transaction() as begun:
            yield begun
            raise StoreUnavailable("the worker died")

    store.transaction = dying
    with suppress(StoreUnavailable):
        await queueing.step(community.clock.now())
    store.transaction = transaction


async def test_a_share_is_held_out(broadcasts: Broadcasts) -> None:
    broadcasts.crowd(200)
    sent = await broadcasts.send(holdoutPercent=50)
    report = await broadcasts.report(sent["id"])
    assert report["recipients"] == 200
    assert 60 < report["heldOut"] < 140
    assert report["results"] == [{"channel": "inapp", "status": "delivered", "count": 200 - report["heldOut"]}]
