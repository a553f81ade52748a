"""Signing in with Ethereum and Solana wallets."""

import asyncio
import base64
from typing import Any

import psycopg
from eth_utils.address import to_checksum_address
from solders.keypair import Keypair

from api.auth import siwe, siws
from tests.fixtures.clocks import ManualClock
from tests.fixtures.service import Serve
from tests.fixtures.sign_in import API, SignInClient, iso_time, new_wallet, sign
from warehouse.postgres import Connection


async def test_a_new_wallet_gets_an_account_and_a_session(sign_in: SignInClient, store: Connection) -> None:
    wallet = new_wallet()
    answer = await sign_in.ethereum(wallet)
    assert answer.status_code == 200, answer.text
    assert answer.headers["cache-control"] == "no-store"
    body = answer.json()
    assert (body["tokenType"], body["expiresIn"], body["plan"]) == ("Bearer", 3600, "free")
    assert (body["wallet"], body["wallets"]) == (wallet.address, [wallet.address])
    assert body["scopes"] == ["api:read", "api:write"]
    linked = store.execute("SELECT wallet, account_id::text FROM account_wallet").fetchall()
    assert {"wallet": wallet.address.lower(), "account_id": body["accountId"]} in linked
    again = (await sign_in.ethereum(wallet)).json()
    assert again["accountId"] == body["accountId"]
    assert again["sessionId"] != body["sessionId"]


async def test_a_solana_signature_may_be_base58_or_base64(sign_in: SignInClient) -> None:
    wallet = Keypair()
    body = (await sign_in.solana(wallet)).json()
    assert body["wallets"] == [str(wallet.pubkey())]
    for encode in (base64.b64encode, lambda raw: base64.urlsafe_b64encode(raw).rstrip(b"=")):
        text = siws.write(await sign_in.solana_message(str(wallet.pubkey())))
        signature = encode(bytes(wallet.sign_message(text.encode()))).decode()
        answer = await sign_in.login("siws", text, signature)
        assert answer.status_code == 200, answer.text
        assert answer.json()["accountId"] == body["accountId"]


async def test_a_minimal_solana_message_is_accepted(sign_in: SignInClient) -> None:
    little = dict.fromkeys(("uri", "version", "chain", "issued_at", "statement"))
    assert (await sign_in.solana(Keypair(), **little)).status_code == 200
    without = await sign_in.solana(Keypair(), nonce=None)
    assert (without.status_code, without.json()["error"]) == (400, "message: Nonce is missing")


async def test_a_nonce_works_once(sign_in: SignInClient) -> None:
    wallet = new_wallet()
    text = siwe.write(await sign_in.message(wallet.address))
    assert (await sign_in.login("siwe", text, sign(wallet, text))).status_code == 200
    again = await sign_in.login("siwe", text, sign(wallet, text))
    assert (again.status_code, again.json()["code"]) == (401, "UNAUTHORIZED")
    assert "Nonce" in again.json()["error"]


async def test_concurrent_uses_of_a_nonce_sign_in_once(sign_in: SignInClient, store: Connection) -> None:
    wallet = new_wallet()
    text = siwe.write(await sign_in.message(wallet.address))
    signature = sign(wallet, text)
    answers = await asyncio.gather(*(sign_in.login("siwe", text, signature) for _ in range(40)))
    assert sorted(answer.status_code for answer in answers) == [200] + [401] * 39
    assert store.execute("SELECT count(*) AS n FROM wallet_session").fetchone() == {"n": 1}


async def test_concurrent_first_sign_ins_make_one_account(sign_in: SignInClient) -> None:
    wallet = new_wallet()
    answers = await asyncio.gather(*(sign_in.ethereum(wallet) for _ in range(8)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.json()["accountId"] for answer in answers}) == 1


async def test_a_nonce_expires_after_ten_minutes(sign_in: SignInClient) -> None:
    nonce = await sign_in.nonce()
    sign_in.clock.advance(minutes=10)
    assert (await sign_in.ethereum(new_wallet(), nonce=nonce)).status_code == 401


async def test_expired_nonces_are_deleted(sign_in: SignInClient, store: Connection) -> None:
    for _ in range(5):
        await sign_in.nonce()
    sign_in.clock.advance(minutes=11)
    await sign_in.nonce()
    assert store.execute("SELECT count(*) AS n FROM sign_in_nonce").fetchone() == {"n": 1}


ELSEWHERE: list[tuple[dict[str, Any], str]] = [
    ({"domain": "evil.example"}, "the domain must be crowns.example"),
    ({"domain": "crowns.example.evil.example"}, "the domain must be crowns.example"),
    ({"domain": "user@crowns.example"}, "the domain must be crowns.example"),
    ({"domain": "crowns.example:444"}, "the domain must be crowns.example"),
    ({"scheme": "http"}, "the domain must be crowns.example"),
    ({"uri": "https://evil.example/login"}, "URI must be under https://crowns.example"),
    ({"uri": "http://crowns.example/login"}, "URI must be under https://crowns.example"),
    ({"uri": "https://crowns.example@evil.example/"}, "URI must be under https://crowns.example"),
    ({"uri": "did:key:z6Mk"}, "URI must be under https://crowns.example"),
    ({"chain": "424242424242"}, "Chain ID 424242424242 is not a chain served here"),
    ({"chain": "900900"}, "Chain ID 900900 is not a chain served here"),
    ({"version": "2"}, "Version must be 1"),
    ({"nonce": "abc"}, "Nonce must be at least 8 letters or digits"),
    ({"issued_at": "2026-02-30T00:00:00Z"}, "Issued At names a day or time that does not exist"),
]


async def test_a_message_for_another_site_names_the_rule(sign_in: SignInClient) -> None:
    for changes, problem in ELSEWHERE:
        answer = await sign_in.ethereum(new_wallet(), **changes)
        said = (answer.status_code, answer.json())
        assert said == (400, {"error": f"message: {problem}", "code": "INVALID_REQUEST"}), changes


async def test_messages_for_the_site_are_accepted(sign_in: SignInClient) -> None:
    cases: list[dict[str, Any]] = [
        {"domain": "crowns.example:443"},
        {"domain": "CROWNS.example"},
        {"scheme": "https"},
        {"uri": "https://crowns.example"},
        {"uri": f"{API}/api/v2/auth/login/siwe"},
        {"statement": None},
        {"chain": "8453", "resources": ("https://crowns.example/terms", "ipfs://bafy")},
        {"request_id": "", "resources": ()},
    ]
    for changes in cases:
        answer = await sign_in.ethereum(new_wallet(), **changes)
        assert answer.status_code == 200, (changes, answer.text)


async def test_times_are_compared_with_the_clock(sign_in: SignInClient) -> None:
    def at(**ahead: float) -> str:
        moment, sign_in.clock.moment = sign_in.clock.moment, sign_in.clock.moment
        sign_in.clock.advance(**ahead)
        shifted, sign_in.clock.moment = sign_in.clock.moment, moment
        return iso_time(shifted)

    for name, text, problem in (
        ("issued_at", at(seconds=90), "Issued At is in the future"),
        ("expiration_time", at(seconds=-1), "Expiration Time has passed"),
        ("expiration_time", at(seconds=0), "Expiration Time has passed"),
        ("not_before", at(seconds=5), "Not Before is in the future"),
    ):
        for request in (sign_in.ethereum(new_wallet(), **{name: text}), sign_in.solana(Keypair(), **{name: text})):
            answer = await request
            assert (answer.status_code, answer.json()["error"]) == (400, f"message: {problem}"), name
    good = {"issued_at": at(seconds=30), "expiration_time": at(seconds=5), "not_before": at(seconds=-5)}
    assert (await sign_in.ethereum(new_wallet(), **good)).status_code == 200


async def test_a_wrong_signature_is_401_and_keeps_the_nonce(sign_in: SignInClient) -> None:
    wallet, other = new_wallet(), new_wallet()
    text = siwe.write(await sign_in.message(wallet.address))
    for signature in (sign(other, text), sign(wallet, text + " "), "0x" + "00" * 65, "0x" + "ff" * 65, "0x12"):
        answer = await sign_in.login("siwe", text, signature)
        assert (answer.status_code, answer.json()["code"]) == (401, "UNAUTHORIZED")
        assert answer.json()["error"].startswith("signature: ")
    assert (await sign_in.login("siwe", text, sign(wallet, text))).status_code == 200


async def test_a_wrong_or_small_order_solana_signature_is_401(sign_in: SignInClient) -> None:
    wallet = Keypair()
    text = siws.write(await sign_in.solana_message(str(wallet.pubkey())))
    assert (await sign_in.login("siws", text, str(Keypair().sign_message(text.encode())))).status_code == 401
    # The system program's address is a point of order four: without a check anyone could sign for it.
    for address in ("1" * 32, str(Keypair().pubkey())):
        text = siws.write(await sign_in.solana_message(address))
        for forged in (bytes(64), bytes([1] + [0] * 63)):
            assert (await sign_in.login("siws", text, base64.b64encode(forged).decode())).status_code == 401


async def test_bad_input_names_the_field(sign_in: SignInClient) -> None:
    cases: list[tuple[str, dict[str, Any], str]] = [
        ("siwe", {}, "message"),
        ("siwe", {"message": 1, "signature": "0x00"}, "message"),
        ("siwe", {"message": "hello", "signature": "0x00"}, "message"),
        ("siwe", {"message": "hello"}, "signature"),
        ("siwe", {"message": "hello", "signature": "zz"}, "signature"),
        ("siwe", {"message": "hello", "signature": None}, "signature"),
        ("siwe", {"message": "hello", "signature": "0x00", "scopes": ["admin"]}, "scopes.0"),
        ("siws", {"message": "hello", "signature": "0x00"}, "signature"),
        ("siws", {"message": "hello", "signature": "1" * 64}, "message"),
    ]
    for way, body, field in cases:
        answer = await sign_in.service.anonymous.post(f"/api/v2/auth/login/{way}", json=body)
        assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_REQUEST"), body
        assert answer.json()["error"].startswith(f"{field}: "), body


async def test_an_ethereum_message_is_not_a_solana_message(sign_in: SignInClient) -> None:
    wallet = Keypair()
    text = siwe.write(await sign_in.message(to_checksum_address("0x" + "1b" * 20)))
    answer = await sign_in.login("siws", text, str(wallet.sign_message(text.encode())))
    assert answer.status_code == 400


async def test_a_session_has_the_requested_scopes(sign_in: SignInClient) -> None:
    assert (await sign_in.ethereum(new_wallet(), scopes=["api:read"])).json()["scopes"] == ["api:read"]
    assert (await sign_in.ethereum(new_wallet(), scopes=[])).json()["scopes"] == []


async def test_the_domain_may_omit_the_sites_port(serve: Serve, clock: ManualClock) -> None:
    async with serve(clock=clock, host="127.0.0.1", port=8123) as service:
        sign_in = SignInClient(service, clock)
        here = {"uri": "http://127.0.0.1:8123/"}
        for domain, status in (("127.0.0.1:8123", 200), ("127.0.0.1", 200), ("127.0.0.1:8124", 400)):
            assert (await sign_in.ethereum(new_wallet(), domain=domain, **here)).status_code == status


async def test_a_site_with_a_port_is_not_its_hosts_default_port(serve: Serve, clock: ManualClock) -> None:
    async with serve(clock=clock, host="127.0.0.1", port=8123) as service:
        sign_in = SignInClient(service, clock)
        here = "http://127.0.0.1:8123/"
        for domain, uri in (
            ("127.0.0.1:80", here),
            ("127.0.0.1:0", here),
            ("127.0.0.1:8123", "http://127.0.0.1:80/"),
            ("127.0.0.1:8123", "http://127.0.0.1/"),
        ):
            for answer in (
                await sign_in.ethereum(new_wallet(), domain=domain, uri=uri),
                await sign_in.solana(Keypair(), domain=domain, uri=uri),
            ):
                assert answer.status_code == 400, (domain, uri)
                assert answer.json()["error"].startswith("message: ")


async def test_an_invalid_site_url_is_503_and_names_the_setting(serve: Serve, clock: ManualClock) -> None:
    async with serve(clock=clock, site_url="crowns.example") as service:
        answer = await service.anonymous.get("/api/v2/auth/nonce")
        assert answer.status_code == 503
        assert "REGALIA_SITE_URL" in answer.json()["error"]


async def test_an_account_made_meanwhile_by_a_command_is_used(sign_in: SignInClient, store_url: str) -> None:
    """The command's transaction with the new account is still open when the sign-in needs the account."""
    wallet = new_wallet()
    async with await psycopg.AsyncConnection.connect(store_url) as command:
        made = await command.execute(
            "INSERT INTO account (wallet, plan) VALUES (%s, 'pro') RETURNING id::text", (wallet.address.lower(),)
        )
        row = await made.fetchone()
        signing_in = asyncio.create_task(sign_in.ethereum(wallet))
        await asyncio.sleep(0.2)
        assert not signing_in.done()
        await command.commit()
        answer = await signing_in
    assert (answer.status_code, answer.json()["accountId"], answer.json()["plan"]) == (200, row[0], "pro")
