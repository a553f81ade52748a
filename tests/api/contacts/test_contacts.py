"""Contacts are confirmed with a code before anything else is sent, and are unreadable in the store."""

import asyncio
from typing import Any

from tests.fixtures.community import Community
from tests.fixtures.messages import VendorServer

MAIL = "Frog@pepe.example"


def code_in(text: str) -> str:
    return text.split("code is ")[1][:8]


async def test_mail_is_confirmed_with_the_last_code(community: Community) -> None:
    member = await community.member()
    asked = await member.ok("PUT", "/contacts/email", {"to": f" {MAIL} "})
    assert (asked["to"], asked["confirmed"]) == (MAIL, False)
    await community.run_jobs()
    await member.ok("POST", "/contacts/email/code")
    await community.run_jobs()
    first, last = (code_in(mail.get_content()) for mail in community.mail.to(MAIL))
    if first != last:
        answer = await member.ask("POST", "/contacts/email/confirm", {"code": first})
        assert (answer.status_code, answer.json()["code"]) == (403, "CODE_WRONG")
    assert (await member.ok("POST", "/contacts/email/confirm", {"code": last}))["confirmed"] is True
    assert (await member.ok("POST", "/contacts/email/confirm", {"code": "0"}))["confirmed"] is True, "it is already"
    assert (await member.ask("POST", "/contacts/email/code")).status_code == 409
    listed = await member.ok("GET", "/contacts")
    assert [(one["channel"], one["to"], one["confirmed"]) for one in listed["contacts"]] == [("email", MAIL, True)]
    await member.ok("DELETE", "/contacts/email")
    assert (await member.ok("GET", "/contacts"))["contacts"] == []


async def test_a_code_is_over_after_five_tries_and_after_a_quarter_of_an_hour(community: Community) -> None:
    member = await community.member()
    await member.ok("PUT", "/contacts/email", {"to": MAIL})
    await community.run_jobs()
    code = code_in(community.mail.to(MAIL)[0].get_content())
    wrong = f"{(int(code) + 1) % 10**8:08}"
    tries = await asyncio.gather(*(member.ask("POST", "/contacts/email/confirm", {"code": wrong}) for _ in range(5)))
    assert {answer.status_code for answer in tries} == {403}
    assert (await member.ask("POST", "/contacts/email/confirm", {"code": code})).status_code == 403
    await member.ok("POST", "/contacts/email/code")
    await community.run_jobs()
    code = code_in(community.mail.to(MAIL)[1].get_content())
    community.clock.advance(minutes=16)
    assert (await member.ask("POST", "/contacts/email/confirm", {"code": code})).status_code == 403


async def test_nobody_can_flood_an_address_with_codes(community: Community) -> None:
    members = [await community.member() for _ in range(4)]
    body = {"to": MAIL}
    answers = await asyncio.gather(*(member.ask("PUT", "/contacts/email", body) for member in members))
    assert sorted(answer.status_code for answer in answers) == [200, 200, 200, 429]
    refused = members[[answer.status_code for answer in answers].index(429)]
    assert (await refused.ok("GET", "/contacts"))["contacts"] == [], "nothing was saved"
    community.clock.advance(hours=1, seconds=1)
    assert (await refused.ask("PUT", "/contacts/email", body)).status_code == 200


async def test_an_account_gets_ten_codes_a_day(community: Community) -> None:
    member = await community.member()
    found = [(await member.ask("PUT", "/contacts/email", {"to": f"f{n}@pepe.example"})).status_code for n in range(11)]
    assert found == [200] * 10 + [429]


async def test_the_store_has_no_address_and_no_code(community: Community) -> None:
    member = await community.member()
    await member.ok("PUT", "/contacts/email", {"to": MAIL})
    await member.ok("PUT", "/contacts/sms", {"to": "+41 44 668 18 00"})
    await community.run_jobs()
    codes = [code_in(community.mail.to(MAIL)[0].get_content())]
    codes.append(code_in(community.vendors.at("/Accounts/AC01/")[0].form["Body"]))
    for table in ("contact", "contact_code", "jobs.procrastinate_jobs"):
        whole = str(community.store.execute(f"SELECT * FROM {table}".encode()).fetchall()).lower()
        secrets = (MAIL.lower(), MAIL.lower().encode().hex(), "41446681800", *codes)
        assert not [secret for secret in secrets if secret in whole], table


async def test_each_channel_confirms_over_itself(community: Community, vendor_server: VendorServer) -> None:
    member = await community.member()
    addresses = {"telegram": "5501", "discord": "123456789012345678", "sms": "+41446681800"}
    for channel, address in addresses.items():
        await member.ok("PUT", f"/contacts/{channel}", {"to": address})
    await community.run_jobs()
    texts: dict[str, Any] = {
        "telegram": vendor_server.at("/sendMessage")[0].json["text"],
        "discord": vendor_server.at("/messages")[0].json["embeds"][0]["description"],
        "sms": vendor_server.at("/Messages.json")[0].form["Body"],
    }
    for channel, text in texts.items():
        assert (await member.ok("POST", f"/contacts/{channel}/confirm", {"code": code_in(text)}))["confirmed"] is True


async def test_bad_addresses_and_channels_are_named(community: Community) -> None:
    member = await community.member()
    bad = {"email": "frog", "sms": "044 668 18 00", "telegram": "@frog", "discord": "frog", "push": "{}"}
    for channel, address in bad.items():
        answer = await member.ask("PUT", f"/contacts/{channel}", {"to": address})
        assert (answer.status_code, answer.json()["error"][:3]) == (400, "to:"), channel
    inner = '{"endpoint": "https://192.168.0.1/x", "keys": {"p256dh": "x", "auth": "x"}}'
    assert (await member.ask("PUT", "/contacts/push", {"to": inner})).status_code == 400
    for channel in ("inapp", "xmtp", "fax"):
        answer = await member.ask("PUT", f"/contacts/{channel}", {"to": "x"})
        assert (answer.status_code, answer.json()["error"][:8]) == (400, "channel:")
    community.service.services.vendors.clear()
    answer = await member.ask("PUT", "/contacts/email", {"to": MAIL})
    assert (answer.status_code, answer.json()["code"]) == (409, "CHANNEL_OFF")
    assert not any(one["configured"] for one in (await member.ok("GET", "/contacts"))["channels"][1:])
