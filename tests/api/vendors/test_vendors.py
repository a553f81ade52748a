"""What vendors are sent, and what their answers mean."""

import base64
import json
from collections.abc import AsyncIterator
from uuid import UUID, uuid4

import http_ece
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from api.outbound.client import Outbound
from api.settings import ApiSettings
from api.vendors import discord, telegram
from api.vendors.assembly import configured_vendors
from api.vendors.mail import MailVendor
from api.vendors.messages import AddressRefused, Channel, Message, Outcome, Vendor
from tests.fixtures.messages import MailServer, VendorServer

ID = UUID("01980000-0000-7000-8000-0000000000b1")
HOSTILE = Message(
    ID,
    "@everyone\r\nBcc: victim@pepe.example",
    "@here **x** [y](https://evil.example) /start @frog",
    "https://a.example",
)
Vendors = dict[Channel, Vendor]


@pytest.fixture
async def vendors(vendor_server: VendorServer, mail_server: MailServer, tmp_path: object) -> AsyncIterator[Vendors]:
    """All vendors, configured."""
    mail = {"mail_url": f"smtp://127.0.0.1:{mail_server.port}", "mail_from": "crowns@crowns.example"}
    outbound = Outbound(allow_loopback=True)
    found = configured_vendors(ApiSettings(data_dir=tmp_path, **vendor_server.settings(), **mail), outbound)
    yield found
    for vendor in found.values():
        await vendor.close()
    await outbound.close()


def encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def test_a_channel_without_settings_is_off(tmp_path: object) -> None:
    assert configured_vendors(ApiSettings(data_dir=tmp_path), Outbound()) == {}


async def test_push_is_encrypted_to_the_browser_and_signed(vendors: Vendors, vendor_server: VendorServer) -> None:
    browser, secret = ec.generate_private_key(ec.SECP256R1()), bytes(range(16))
    point = browser.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    given = {"endpoint": f"{vendor_server.url}/push/1", "keys": {"p256dh": encoded(point), "auth": encoded(secret)}}
    vendor = vendors[Channel.PUSH]
    address = vendor.read_address(json.dumps({**given, "expirationTime": None}))
    assert await vendor.send(address, Message(ID, "Title", "é" * 2000, "https://a.example")) == Outcome()
    (posted,) = vendor_server.posted
    plain = http_ece.decrypt(posted.body, private_key=browser, auth_secret=secret, version="aes128gcm")
    shown = json.loads(plain)
    assert (shown["title"], shown["url"], shown["body"][-1], len(posted.body) <= 4096) == (
        "Title",
        "https://a.example",
        "…",
        True,
    )
    token, _, key = posted.headers["Authorization"].removeprefix("vapid t=").partition(", k=")
    raw = base64.urlsafe_b64decode(key + "=" * (-len(key) % 4))
    public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), raw)
    claims = jwt.decode(token, public, algorithms=["ES256"], audience=vendor_server.url)
    assert claims["sub"] == "mailto:operator@crowns.example"
    assert posted.headers["Topic"] == encoded(ID.bytes), "the service keeps one of two with a topic"
    vendor_server.answers["/push/1"] = [(410, {}), (503, {})]
    gone, later = await vendor.send(address, HOSTILE), await vendor.send(address, HOSTILE)
    assert ((gone.final, gone.gone), (later.final, later.gone)) == ((True, True), (False, False))


async def test_mail_has_no_header_that_its_text_made(vendors: Vendors, mail_server: MailServer) -> None:
    leaving = Message(ID, HOSTILE.title, HOSTILE.text, HOSTILE.link, "https://api.crowns.example/leave?token=x", "Why.")
    assert await vendors[Channel.EMAIL].send("frog@pepe.example", leaving) == Outcome()
    (mail,) = mail_server.mails
    assert mail["Subject"] == "@everyone Bcc: victim@pepe.example"
    assert "Bcc" not in mail
    assert mail.get_content_type() == "text/plain"
    assert mail["List-Unsubscribe"] == "<https://api.crowns.example/leave?token=x>"
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert mail["Message-ID"] == f"<{ID}@crowns.example>"
    mail_server.refused.add("gone@pepe.example")
    refused = await vendors[Channel.EMAIL].send("gone@pepe.example", leaving)
    assert (refused.failure, refused.final, refused.gone) == ("refused", True, True)
    assert await vendors[Channel.EMAIL].send("frog@pepe.example", leaving) == Outcome(), "the connection still works"


async def test_a_mail_server_that_is_away_is_tried_again() -> None:
    vendor = MailVendor("smtp://127.0.0.1:1", "crowns@crowns.example", "Crowns")
    outcome = await vendor.send("frog@pepe.example", HOSTILE)
    assert (outcome.failure, outcome.final) == ("connect", False)


async def test_telegram_gets_plain_text_without_mentions(vendors: Vendors, vendor_server: VendorServer) -> None:
    assert await vendors[Channel.TELEGRAM].send("5501", HOSTILE) == Outcome()
    (posted,) = vendor_server.posted
    assert posted.path == "/bot12:telegram-token/sendMessage"
    assert set(posted.json) == {"chat_id", "text", "link_preview_options"}, "no parse_mode, so no markup"
    assert not [mark for mark in ("@everyone", "@here", "/start", "@frog") if mark in posted.json["text"]]
    vendor_server.answers["/bot12:telegram-token/sendMessage"] = [
        (403, {"description": "Forbidden: bot was blocked by the user"}),
        (400, {"description": "Bad Request: chat not found"}),
        (429, {"parameters": {"retry_after": 5}}),
    ]
    found = [await vendors[Channel.TELEGRAM].send("5501", HOSTILE) for _ in range(3)]
    assert [(one.final, one.gone) for one in found] == [(True, True), (True, True), (False, False)]


async def test_discord_mentions_nobody_and_drops_repeats(vendors: Vendors, vendor_server: VendorServer) -> None:
    vendor = vendors[Channel.DISCORD]
    assert await vendor.send(vendor.read_address("123456789012345678"), HOSTILE) == Outcome()
    opened, sent = vendor_server.posted
    assert opened.json == {"recipient_id": "123456789012345678"}
    assert sent.headers["Authorization"] == "Bot discord-token"
    assert sent.json["allowed_mentions"] == {"parse": []}
    assert (sent.json["nonce"], sent.json["enforce_nonce"], len(sent.json["nonce"]) <= 25) == (
        encoded(ID.bytes),
        True,
        True,
    )
    (embed,) = sent.json["embeds"]
    shown = embed["title"] + embed["description"]
    assert not [mark for mark in ("@everyone", "@here", "**x**", "[y]") if mark in shown]
    hook = f"{vendor_server.url}/api/webhooks/123456789012345678/abcdefghijklmnopqrstuvwxyz"
    assert await vendor.send(vendor.read_address(hook), HOSTILE) == Outcome()
    assert vendor_server.posted[-1].json["allowed_mentions"] == {"parse": []}
    for bad in ("https://evil.example/api/webhooks/123456789012345678/abcdefghijklmnopqrstuvwxyz", f"{hook}/../../x"):
        with pytest.raises(AddressRefused):
            vendor.read_address(bad)


async def test_sms_goes_out_with_its_link(vendors: Vendors, vendor_server: VendorServer) -> None:
    message = Message(uuid4(), "Title", "x" * 3000, "https://a.example")
    assert await vendors[Channel.SMS].send("+41446681800", message) == Outcome()
    (posted,) = vendor_server.posted
    assert posted.form["From"] == "+15550001111"
    assert (len(posted.form["Body"]), posted.form["Body"].endswith("…\nhttps://a.example")) == (1600, True)
    vendor_server.answers["/2010-04-01/Accounts/AC01/Messages.json"] = [(400, {"code": 21610}), (500, {})]
    stopped, later = [await vendors[Channel.SMS].send("+41446681800", message) for _ in range(2)]
    assert ((stopped.gone, stopped.final), (later.gone, later.final)) == ((True, True), (False, False))


@pytest.mark.parametrize("text", ["@@everyone", "a @here", "(@frog)", "<@123>"])
def test_no_mention_survives(text: str) -> None:
    for neutral in (telegram.neutral, discord.neutral):
        assert not {"@everyone", "@here", "@frog", "@123"} & {
            neutral(text)[at : at + size] for at in range(len(text) + 9) for size in (4, 5, 9)
        }


def test_links_in_a_text_stay_links() -> None:
    text = "see https://a.example/x_y-z and /start"
    assert "https://a.example/x_y-z" in discord.neutral(text)
    assert "https://a.example/x_y-z" in telegram.neutral(text)
