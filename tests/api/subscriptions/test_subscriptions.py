"""Who may subscribe to a page, what its managers hear of it, and how subscriptions end."""

import base64

import pytest

from api.security.sealing import Sealer
from api.subscriptions.leaving import LeaveLinks
from api.vendors.messages import Channel
from tests.fixtures.community import Community, Member
from tests.fixtures.sign_in import authorized, new_wallet

PAGE = "/registration/7/subscription?chain=base"


def events(community: Community) -> list[tuple[str, str]]:
    """Type and wallet of the community's events, oldest first."""
    rows = community.store.execute(
        "SELECT type, account_id, payload FROM event_log WHERE type LIKE 'community.%' ORDER BY id"
    ).fetchall()
    owner = community.store.execute(
        "SELECT account_id FROM account_wallet WHERE wallet = %s", (community.owner.address,)
    ).fetchone()
    assert owner is not None
    assert {row["account_id"] for row in rows} <= {owner["account_id"]}, "nobody else hears of it"
    return [(row["type"].removeprefix("community.member_"), row["payload"]["wallet_address"]) for row in rows]


def link_of(community: Community, channel: Channel = Channel.EMAIL) -> str:
    row = community.store.execute("SELECT id FROM page_subscription").fetchone()
    assert row is not None
    services = community.service.services
    return LeaveLinks(services.sealer, services.settings.public_url).url(row["id"], channel)


async def follow(community: Community, url: str) -> int:
    """POST to a link as a mail program does."""
    answer = await community.service.anonymous.post(
        url, content=b"List-Unsubscribe=One-Click", headers={"Content-Type": "application/x-www-form-urlencoded"}
    )
    return answer.status_code


async def test_a_holder_joins_changes_channels_and_leaves(community: Community) -> None:
    holder = await community.holder()
    first = await holder.subscribe()
    assert first["channels"] == ["inapp"]
    again = await holder.subscribe("email", "inapp")
    assert again == {**first, "channels": ["inapp", "email"]}
    assert await holder.ok("GET", PAGE) == again
    assert (await holder.ok("GET", "/subscriptions"))["subscriptions"] == [again]
    assert events(community) == [("joined", holder.wallet.address)]
    assert await holder.ok("DELETE", PAGE) == {"chainId": 8453, "tokenId": 7, "left": True}
    assert (await holder.ask("DELETE", PAGE)).status_code == 404
    assert (await holder.ask("GET", PAGE)).status_code == 404
    assert events(community) == [("joined", holder.wallet.address), ("left", holder.wallet.address)]


async def test_only_who_holds_or_held_the_token_joins(community: Community) -> None:
    never, traded = await community.member(), await community.member()
    former = await community.holder()
    community.hold((former.address, 3, -100), (traded.address, 1, 50), (traded.address, 1, -50))
    body = {"wallet": former.wallet.address, "channels": ["inapp"]}
    assert (await former.ask("PUT", PAGE, body)).status_code == 200
    for member in (never, traded):
        answer = await member.ask("PUT", PAGE, {"wallet": member.wallet.address})
        assert (answer.status_code, answer.json()["code"]) == (403, "NEVER_HELD")
    answer = await never.ask("PUT", PAGE, body)
    assert (answer.status_code, answer.json()["code"]) == (403, "WALLET_NOT_SIGNED_IN")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "wallet"),
        ({"wallet": "0x12"}, "wallet"),
        ({"wallet": new_wallet().address, "channels": []}, "channels"),
        ({"wallet": new_wallet().address, "channels": ["fax"]}, "channels"),
        ({"wallet": new_wallet().address, "channels": ["inapp", "inapp"]}, "channels"),
    ],
)
async def test_bad_input_is_named(community: Community, body: dict[str, object], field: str) -> None:
    answer = await community.owner.ask("PUT", PAGE, body)
    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_REQUEST")
    assert answer.json()["error"].startswith(field)


async def test_one_post_without_a_session_ends_a_channel_and_then_the_subscription(community: Community) -> None:
    holder = await community.holder()
    await holder.subscribe("email", "sms")
    url = link_of(community)
    assert await follow(community, url) == 200
    assert (await holder.ok("GET", PAGE))["channels"] == ["sms"]
    assert await follow(community, url) == 200, "safe to repeat"
    assert events(community) == [("joined", holder.wallet.address)]
    assert await follow(community, link_of(community, Channel.SMS)) == 200
    assert await follow(community, url) == 200
    assert (await holder.ask("GET", PAGE)).status_code == 404
    assert events(community)[1:] == [("left", holder.wallet.address)]


async def test_a_link_that_the_service_did_not_make_ends_nothing(community: Community) -> None:
    holder = await community.holder()
    await holder.subscribe("email")
    url = link_of(community)
    token = url.partition("token=")[2]
    raw = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
    forged = [raw[:-5] + b"push", raw[:16] + bytes(16) + raw[32:], bytes(16) + raw[16:], raw[:20], b""]
    for one in forged:
        assert await follow(community, url.replace(token, base64.urlsafe_b64encode(one).decode().rstrip("="))) == 404
    assert (await holder.ok("GET", PAGE))["channels"] == ["email"]


def test_links_work_after_the_key_was_rotated() -> None:
    from uuid import uuid4

    id, old, new = uuid4(), b"o" * 32, b"n" * 32
    token = LeaveLinks(Sealer(old), "https://crowns.example").token(id, Channel.PUSH)
    assert LeaveLinks(Sealer(new, old), "").read(token) == (id, Channel.PUSH)
    assert LeaveLinks(Sealer(new), "").read(token) is None


async def test_managers_hear_of_it_too_and_strangers_read_nothing(community: Community) -> None:
    manager: Member = await community.member()
    community.store.execute("UPDATE registration SET managers = %s", ([manager.address],))
    holder = await community.holder()
    await holder.subscribe()
    rows = community.store.execute("SELECT DISTINCT account_id FROM event_log WHERE type LIKE 'community.%'").fetchall()
    assert len(rows) == 2
    assert (await manager.ok("GET", "/subscriptions"))["subscriptions"] == []
    answer = await community.service.anonymous.get("/api/v2/subscriptions", headers=authorized(None))
    assert answer.status_code == 401
