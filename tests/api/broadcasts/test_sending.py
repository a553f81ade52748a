"""Who may send, what is refused and in which order, and how often a page sends."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from api.http.times import timestamp
from tests.factories.registrations import add_registration
from tests.fixtures.broadcasts import PATH, Broadcasts

CID = "bafkreihe4hlilmerevb4o5g7xhoe35r4vdjmmtiwwkryhdnjdznkucwkbi"


async def test_only_owner_and_managers_send_with_a_wallet_of_the_session(broadcasts: Broadcasts) -> None:
    community = broadcasts.community
    manager, stranger = await community.member(), await community.member()
    community.store.execute("UPDATE registration SET managers = %s", ([manager.address],))
    assert (await broadcasts.post()).status_code == 200
    assert (await broadcasts.post(manager)).status_code == 200
    answer = await broadcasts.post(stranger)
    assert (answer.status_code, answer.json()["code"]) == (403, "FORBIDDEN")
    answer = await stranger.ask("POST", PATH, broadcasts.given())
    assert (answer.status_code, answer.json()["code"]) == (403, "WALLET_NOT_SIGNED_IN")
    for path in ("limits", "delivery", "messages"):
        assert (await stranger.ask("GET", f"{PATH}/{path}")).status_code == 403
        assert (await manager.ask("GET", f"{PATH}/{path}")).status_code == 200
    assert (await community.owner.ask("POST", "/broadcasts/8", broadcasts.given())).status_code == 404
    community.store.execute("UPDATE registration SET expired_at = now()")
    assert (await broadcasts.post()).status_code == 403


async def test_an_id_on_several_chains_needs_its_chain(broadcasts: Broadcasts) -> None:
    community = broadcasts.community
    add_registration(community.store, "PEPE", chain_id=100, token_id=7, owner=community.owner.address, log_index=9)
    answer = await broadcasts.post()
    assert (answer.status_code, answer.json()["error"].split(":")[0]) == (400, "crownChain")
    assert (await community.owner.ask("GET", f"{PATH}/limits")).status_code == 400
    assert (await broadcasts.post(crownChain="base")).status_code == 200
    assert (await community.owner.ask("GET", f"{PATH}/limits?crownChain=base")).status_code == 200
    for bad in ("nowhere", "BASE", ""):
        assert (await broadcasts.post(crownChain=bad)).status_code == 400


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"title": ""}, "title"),
        ({"title": "x" * 101}, "title"),
        ({"title": "a\nb"}, "title"),
        ({"body": "x" * 2001}, "body"),
        ({"body": "\u202eabc"}, "body"),
        ({"type": "news"}, "type"),
        ({"channels": ["email"]}, "channels"),
        ({"channels": []}, "channels"),
        ({"channels": ["inapp", "inapp"]}, "channels"),
        ({"channels": ["inapp", "fax"]}, "channels"),
        ({"segments": ["top_11"]}, "segments"),
        ({"tierIds": []}, "tierIds"),
        ({"tierIds": ["gold"]}, "tierIds"),
        ({"accessTierId": "gold"}, "accessTierId"),
        ({"linkUrl": "http://pepe.example"}, "linkUrl"),
        ({"linkUrl": "https://10.0.0.1/"}, "linkUrl"),
        ({"imageUrl": "http://ipfs.io/ipfs/x"}, "imageUrl"),
        ({"scheduledAt": "tomorrow"}, "scheduledAt"),
        ({"scheduledAt": "2020-01-01T00:00:00Z"}, "scheduledAt"),
        ({"chainScope": "nowhere"}, "chainScope"),
        ({"richContent": []}, "richContent"),
        ({"wallet": "0x12"}, "wallet"),
        ({"surprise": 1}, "surprise"),
    ],
)
async def test_bad_input_is_named(broadcasts: Broadcasts, change: dict[str, Any], field: str) -> None:
    answer = await broadcasts.post(**change)
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"].startswith(field)


async def test_groups_need_the_owners_paid_plan(broadcasts: Broadcasts) -> None:
    broadcasts.plan("free")
    for change in ({"tierIds": ["gold"]}, {"accessTierId": "gold"}):
        answer = await broadcasts.post(**change)
        assert (answer.status_code, answer.json()["requiredPlan"]) == (403, "pro")
    assert (await broadcasts.post(tierIds=[])).status_code == 400


async def test_links_and_images_are_judged_wherever_they_are(broadcasts: Broadcasts) -> None:
    rich = {"type": "doc", "content": [{"type": "text", "marks": [{"attrs": {"href": "https://sub.BIT.ly/x"}}]}]}
    blocked: list[dict[str, Any]] = [
        {"linkUrl": "https://bit.ly/x"},
        {"body": "go to bit.ly/x now"},
        {"title": "see https://BIT。ly/x"},
        {"richContent": rich},
        {"richContent": {"https:\\\\tinyurl.com/x": 1}},
        {"linkUrl": "https://xn--btly-e6a.example", "body": "t.ly"},
    ]
    for change in blocked:
        answer = await broadcasts.post(**change)
        assert (answer.status_code, answer.json()["code"]) == (422, "LINK_BLOCKED"), change
    for image in ("https://evil.example/a.png", "https://ipfs.io/a.png", "https://arweave.net/short"):
        for change in ({"imageUrl": image}, {"richContent": {"type": "image", "attrs": {"src": image}}}):
            answer = await broadcasts.post(**change)
            assert (answer.status_code, answer.json()["code"]) == (422, "IMAGE_NOT_PERMANENT"), change
    fine = {"imageUrl": f"https://ipfs.io/ipfs/{CID}", "richContent": {"src": f"https://{CID}.ipfs.dweb.link/a.png"}}
    assert (await broadcasts.post(**fine)).status_code == 200


async def test_a_redirect_to_the_blocklist_is_found(broadcasts: Broadcasts) -> None:
    """The double answers over plain HTTP on loopback, as links of texts may."""
    vendors = broadcasts.community.vendors
    vendors.redirects = {"/one": "/two", "/two": "https://tinyurl.com/x"}
    answer = await broadcasts.post(body=f"see {vendors.url}/one.")
    assert (answer.status_code, answer.json()["code"]) == (422, "LINK_BLOCKED")
    vendors.redirects = {f"/{step}": f"/{step + 1}" for step in range(1, 6)}
    assert (await broadcasts.post(body=f"see {vendors.url}/1.")).status_code == 200, "five lead to a page"
    vendors.redirects["/6"] = "https://tinyurl.com/x"
    for start in ("/1", "/loop"):
        vendors.redirects["/loop"] = "/loop"
        answer = await broadcasts.post(body=f"see {vendors.url}{start}.")
        assert (answer.status_code, answer.json()["code"]) == (422, "LINK_BLOCKED"), "nobody follows it to its end"
    vendors.redirects = {"/inside": "http://10.0.0.1/admin"}
    assert (await broadcasts.post(body=f"see {vendors.url}/inside.")).status_code == 200, (
        "not asked, and no blocked name"
    )


async def test_of_a_hundred_simultaneous_sends_three_pass_in_an_hour(broadcasts: Broadcasts) -> None:
    answers = await asyncio.gather(*(broadcasts.post() for _ in range(100)))
    found = [answer.status_code for answer in answers]
    assert (found.count(200), found.count(429)) == (3, 97)
    assert {answer.json()["code"] for answer in answers if answer.status_code == 429} == {"BROADCAST_LIMIT"}
    refused = next(answer for answer in answers if answer.status_code == 429)
    clock = broadcasts.community.clock
    assert refused.json()["resetsAt"] == timestamp(clock.now() + timedelta(hours=1))
    assert refused.headers["retry-after"] == "3600"
    limits = await broadcasts.community.owner.ok("GET", f"{PATH}/limits")
    assert ([one["remaining"] for one in limits["limits"]], limits["canSend"]) == ([0, 7], False)
    assert limits["resetsAt"] == refused.json()["resetsAt"]
    clock.advance(hours=1)
    assert (await broadcasts.post()).status_code == 200


async def test_the_free_plan_sends_once_in_seven_days(broadcasts: Broadcasts) -> None:
    broadcasts.plan("free")
    clock = broadcasts.community.clock
    first = clock.now()
    assert (await broadcasts.post()).status_code == 200
    clock.advance(days=6)
    owner = await broadcasts.community.member(broadcasts.community.owner.wallet)
    answer = await broadcasts.post(owner)
    assert (answer.status_code, answer.json()["resetsAt"]) == (429, timestamp(first + timedelta(days=7)))
    clock.advance(days=1)
    owner = await broadcasts.community.member(broadcasts.community.owner.wallet)
    assert (await broadcasts.post(owner)).status_code == 200


async def test_a_repeated_request_sends_once(broadcasts: Broadcasts) -> None:
    answers = await asyncio.gather(*(broadcasts.post(key="one") for _ in range(8)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert (await broadcasts.post(key="one", title="Another")).status_code == 409
    assert len((await broadcasts.community.owner.ok("GET", f"{PATH}/messages"))["broadcasts"]) == 1
