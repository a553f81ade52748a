"""Domains that owners verify, against a real name server."""

import asyncio

import dns.rcode
import pytest
from psycopg.errors import CheckViolation

from tests.factories.registrations import ARBITRUM, BASE, add_registration
from tests.factories.token_lists import add_listed
from tests.fixtures.pages import Owners, Page
from tests.fixtures.sign_in import authorized, new_wallet
from tests.fixtures.text_server import TextServer

RECORD = "_regalia-challenge.pepe.example"
VERIFY = "/domains/pepe.example/verify"


async def requested(page: Page, domain: str = "pepe.example") -> str:
    """The text that proves a domain."""
    return str((await page.ask_json("POST", "/domains", {"domain": domain}))["recordValue"])


async def test_a_domain_is_verified_by_its_record_and_listed_as_verified(
    owners: Owners, text_server: TextServer
) -> None:
    page = await owners.page()
    asked = await page.ask_json("POST", "/domains", {"domain": "PEPE.Example"})
    assert (asked["domain"], asked["state"], asked["recordName"], asked["recordType"]) == (
        "pepe.example", "pending", RECORD, "TXT",
    )  # fmt: skip
    value = asked["recordValue"]
    assert value.startswith("eip155:8453/7/")
    assert await requested(page) == value  # checked again
    assert await requested(page, "shop.pepe.example") != value

    early = await page.ask("POST", VERIFY)
    body = early.json()
    assert (early.status_code, body["code"], body["reason"]) == (409, "DOMAIN_NOT_PROVEN", "no_such_name")
    assert (body["recordName"], body["recordValue"], body["found"]) == (RECORD, value, [])
    text_server.texts[RECORD] = []
    assert (await page.ask("POST", VERIFY)).json()["reason"] == "no_txt_record"
    text_server.texts[RECORD] = [("v=spf1 -all",), (value[:-1],)]
    body = (await page.ask("POST", VERIFY)).json()
    assert (body["reason"], body["found"]) == ("other_values", [value[:-1], "v=spf1 -all"])
    listed = (await page.ask_json("GET", "/domains"))["domains"]
    assert [(one["domain"], one["state"], one["problem"]) for one in listed] == [
        ("pepe.example", "pending", "other_values"), ("shop.pepe.example", "pending", None),
    ]  # fmt: skip

    text_server.texts[RECORD] = [("v=spf1 -all",), (value[:20], value[20:])]  # one value, in two strings
    verified = await page.ask_json("POST", VERIFY)
    assert (verified["state"], verified["problem"]) == ("verified", None)
    again = await page.ask_json("POST", VERIFY)
    assert again["verifiedAt"] == verified["verifiedAt"]

    await page.ask_json("PATCH", "/domains/pepe.example", {"vanityEnabled": True})
    record = (await page.service.get("/registration/7", chain="base")).json()
    assert record["verifiedDomains"] == [
        {"domain": "pepe.example", "verifiedAt": verified["verifiedAt"], "vanityEnabled": True}
    ]
    refused = await page.ask("PATCH", "/domains/shop.pepe.example", {"vanityEnabled": True})
    assert (refused.status_code, refused.json()["code"]) == (409, "DOMAIN_NOT_VERIFIED")
    assert (await page.public("/crowns/base/7/sites"))["badgeHosts"] == ["pepe.example"]

    await page.ask_json("DELETE", "/domains/pepe.example")
    assert (await page.public("/crowns/base/7/sites"))["badgeHosts"] == []
    assert (await page.ask("DELETE", "/domains/pepe.example")).status_code == 404
    assert (await page.ask("POST", VERIFY)).status_code == 404
    assert await requested(page) != value  # an earlier proof does not count again


async def test_unanswered_dns_questions_are_503_and_not_a_missing_record(
    owners: Owners, text_server: TextServer
) -> None:
    page = await owners.page()
    value = await requested(page)
    text_server.texts[RECORD] = [(value,)]
    for fault in (dns.rcode.SERVFAIL, dns.rcode.REFUSED, None):
        text_server.faults[RECORD] = fault
        answer = await page.ask("POST", VERIFY)
        assert (answer.status_code, answer.json()["code"]) == (503, "UNAVAILABLE")
        assert int(answer.headers["retry-after"]) > 0
    assert (await page.ask_json("GET", "/domains"))["domains"][0]["checkedAt"] is None
    text_server.faults.clear()
    text_server.texts[RECORD] = [(f"filler {number} {'x' * 200}",) for number in range(60)] + [(f" {value}",)]
    assert (await page.ask_json("POST", VERIFY))["state"] == "verified"  # too long for a datagram


async def test_only_owner_and_managers_may_manage_domains(owners: Owners) -> None:
    page = await owners.page()
    manager = new_wallet()
    add_listed(owners.store, "WOJAK", 8, managers=[manager.address.lower()])
    managed = await owners.page_for(8, manager)
    assert (await managed.ask_json("POST", "/domains", {"domain": "wojak.example"}))["state"] == "pending"
    routes = [
        ("GET", "/domains", None), ("POST", "/domains", {"domain": "x"}), ("POST", VERIFY, None),
        ("PATCH", "/domains/pepe.example", {"vanityEnabled": True}), ("DELETE", "/domains/pepe.example", None),
        ("GET", "/apps", None), ("PUT", "/apps", {"apps": []}), ("GET", "/sites", None), ("PATCH", "/sites", {}),
    ]  # fmt: skip
    stranger, anonymous = await owners.page_for(7, manager), Page(page.service, 7, None)
    reader = await owners.page_for(8, manager, scopes=["api:read"])
    for method, path, body in routes:
        assert (await stranger.ask(method, path, body)).status_code == 403, path
        assert (await anonymous.ask(method, path, body)).status_code == 401, path
        if method != "GET":
            refused = await reader.ask(method, path, body)
            assert (refused.status_code, refused.json()["requiredScope"]) == (403, "api:write"), path
    assert (await reader.ask_json("GET", "/domains"))["total"] == 1

    for parameters, status in (({"chain": "arbitrum"}, 404), ({"chain": "nowhere"}, 400), ({"chain": ""}, 400)):
        assert (await page.ask("GET", "/domains", **parameters)).status_code == status, parameters
    bare = await page.service.anonymous.get("/api/v2/registration/7/domains", headers=authorized(page.bearer))
    assert (bare.status_code, bare.json()["error"]) == (400, "chain: is required")
    owners.store.execute("UPDATE registration SET released_at = now() WHERE token_id = 7")
    assert (await page.ask("GET", "/domains")).status_code == 404


async def test_an_invalid_domain_is_400_and_the_fifty_first_409(owners: Owners) -> None:
    page = await owners.page()
    for domain in ("127.0.0.1", "com", "https://pepe.example", "", "a" * 300, 7, None):
        answer = await page.ask("POST", "/domains", {"domain": domain})
        assert (answer.status_code, answer.json()["error"].partition(":")[0]) == (400, "domain"), domain
    assert (await page.ask("POST", "/domains/127.0.0.1/verify")).status_code == 400
    assert (await page.ask("POST", "/domains", {"domain": "a.example", "badge": True})).status_code == 400
    owners.store.execute(
        "INSERT INTO registration_domain (chain_id, token_id, domain, challenge)"
        " SELECT 8453, 7, 'x' || number || '.example', '' FROM generate_series(1, 49) AS number"
    )
    at_once = await asyncio.gather(
        *(page.ask("POST", "/domains", {"domain": f"{name}.example"}) for name in ("pepe", "frog", "toad", "newt"))
    )
    full = [answer for answer in at_once if answer.status_code != 200]
    assert [(answer.status_code, answer.json()["code"]) for answer in full] == [(409, "DOMAIN_LIMIT")] * 3
    assert (await page.ask("POST", "/domains", {"domain": "x7.example"})).status_code == 200


async def test_a_verified_domain_belongs_to_one_registration_per_chain(owners: Owners, text_server: TextServer) -> None:
    first, other = await owners.page("PEPE", 7), await owners.page("WOJAK", 8)
    far = await owners.page("PEPE", 9, chain_id=ARBITRUM)
    far.chain = "arbitrum"
    values = [await requested(page) for page in (first, other, far)]
    text_server.texts[RECORD] = [(value,) for value in values]
    at_once = await asyncio.gather(first.ask("POST", VERIFY), other.ask("POST", VERIFY), far.ask("POST", VERIFY))
    assert sorted(answer.status_code for answer in at_once) == [200, 200, 409]
    assert at_once[2].status_code == 200  # another chain
    winner, loser = (0, 1) if at_once[0].status_code == 200 else (1, 0)
    pages = (first, other)
    assert (await pages[loser].ask("POST", VERIFY)).json()["code"] == "DOMAIN_TAKEN"

    text_server.texts[RECORD] = [(values[loser],)]  # the domain's holder says so
    assert (await pages[loser].ask_json("POST", VERIFY))["state"] == "verified"
    lost = (await pages[winner].ask_json("GET", "/domains"))["domains"][0]
    assert (lost["state"], lost["problem"], lost["verifiedAt"]) == ("lost", "taken_over", None)

    # The domain of an ended registration is free, whatever the record says.
    text_server.texts[RECORD] = [(value,) for value in values]
    assert (await pages[winner].ask("POST", VERIFY)).status_code == 409
    ended = pages[loser].number
    owners.store.execute("UPDATE registration SET expired_at = now() WHERE token_id = %s", (ended,))
    assert (await pages[winner].ask_json("POST", VERIFY))["state"] == "verified"


async def test_the_store_enforces_the_rules_of_pages(owners: Owners) -> None:
    """Embed hosts show the badge; settings of one mint do not apply to another."""
    page = await owners.page()
    await requested(page)
    await page.ask_json("PUT", "/apps", {"apps": [{"id": "regalia/market-card"}]})
    await page.ask_json("PATCH", "/sites", {"embedsEnabled": False})
    owners.store.execute("UPDATE registration SET block_hash = 'another block', transaction_hash = transaction_hash")
    assert len((await page.ask_json("GET", "/domains"))["domains"]) == 1
    owners.store.execute("UPDATE registration SET transaction_hash = 'another mint'")
    assert (await page.ask_json("GET", "/domains"))["domains"] == (await page.ask_json("GET", "/apps"))["apps"] == []
    assert (await page.ask_json("GET", "/sites"))["embedsEnabled"] is True
    await requested(page)
    owners.store.execute("DELETE FROM registration")
    assert owners.store.execute("SELECT FROM registration_domain").rowcount == 0
    add_registration(owners.store, token_id=7)
    with pytest.raises(CheckViolation):
        owners.store.execute(
            "INSERT INTO registration_domain (chain_id, token_id, domain, challenge, badge, embeds)"
            " VALUES (%s, 7, 'a.example', '', false, true)",
            (BASE,),
        )
