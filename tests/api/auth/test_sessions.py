"""Sessions: listing, revocation, further wallets, and expiry."""

from pathlib import Path

import jwt
from eth_abi.abi import encode
from eth_account.signers.local import LocalAccount
from eth_utils.address import to_checksum_address
from solders.keypair import Keypair

from api.accounts.service import Accounts
from api.auth import siwe
from api.security.jwt import APP_SESSION
from tests.fixtures.claims import ClaimChain
from tests.fixtures.clocks import ManualClock
from tests.fixtures.service import HOLDER, Serve
from tests.fixtures.sign_in import API, SITE, SignInClient, authorized, new_wallet, sign
from warehouse.postgres import Connection


async def test_a_missing_or_invalid_token_is_401(sign_in: SignInClient) -> None:
    token = await sign_in.token()
    head, body, signature = token.split(".")
    other = jwt.encode({"typ": "wallet-session+v1"}, "x" * 32, algorithm="HS256")
    unsigned = f"{jwt.encode({}, '', algorithm='none').split('.')[0]}.{body}."
    for wrong in (other, unsigned, f"{head}.{body}.", f"{head}.{body}.{signature[:-4]}AAAA", "x", "x" * 10_000):
        answer = await sign_in.sessions(wrong)
        assert (answer.status_code, answer.json()["code"]) == (401, "UNAUTHORIZED")
        assert answer.headers["www-authenticate"].startswith('Bearer error="invalid_token", error_description="')
    bare = await sign_in.service.anonymous.get("/api/v2/auth/sessions", headers={"Authorization": token})
    assert bare.status_code == 401
    assert (await sign_in.service.client.get("/api/v2/auth/sessions")).status_code == 401  # a key is not a session


async def test_a_session_token_names_wallets_issuer_and_expiry(sign_in: SignInClient) -> None:
    wallet = new_wallet()
    token = await sign_in.token(wallet)
    claims = jwt.decode(token, options={"verify_signature": False})
    assert (claims["iss"], claims["aud"], claims["typ"]) == (SITE, API, "wallet-session+v1")
    assert (claims["sub"], claims["wallets"]) == (wallet.address.lower(), [wallet.address.lower()])
    assert claims["exp"] - claims["iat"] == 3600


async def test_a_session_expires(sign_in: SignInClient) -> None:
    token = await sign_in.token()
    sign_in.clock.advance(seconds=3598)
    assert (await sign_in.sessions(token)).status_code == 200
    sign_in.clock.advance(seconds=3)
    assert (await sign_in.sessions(token)).status_code == 401


async def test_a_cached_session_expires_on_time(serve: Serve, clock: ManualClock) -> None:
    async with serve(clock=clock, site_url=SITE, base_url=API, session_cache_seconds=60) as service:
        sign_in = SignInClient(service, clock)
        token = await sign_in.token()
        assert (await sign_in.sessions(token)).status_code == 200
        sign_in.clock.advance(seconds=3601)
        assert (await sign_in.sessions(token)).status_code == 401
        # Within the process that ends it, a session is over at once.
        token = await sign_in.token()
        assert (await sign_in.sessions(token)).status_code == 200
        await service.anonymous.post("/api/v2/auth/logout", headers=authorized(token))
        assert (await sign_in.sessions(token)).status_code == 401


async def test_sessions_are_listed_and_revoked(sign_in: SignInClient) -> None:
    wallet = new_wallet()
    first, second, third = [await sign_in.token(wallet) for _ in range(3)]
    stranger = await sign_in.token()
    listed = (await sign_in.sessions(first)).json()
    assert (listed["total"], [entry["current"] for entry in listed["sessions"]]) == (3, [False, False, True])
    assert {tuple(entry["wallets"]) for entry in listed["sessions"]} == {(wallet.address,)}

    http = sign_in.service.anonymous
    seen, page = [], {"nextCursor": None}
    while not seen or page["nextCursor"]:
        cursor = {"cursor": page["nextCursor"]} if seen else {}
        asked = await http.get("/api/v2/auth/sessions", params={"limit": 2, **cursor}, headers=authorized(first))
        page = asked.json()
        seen += page["sessions"]
    assert (seen, page["total"]) == (listed["sessions"], 3)
    wanted = listed["sessions"][1]["id"]
    for _ in range(2):
        answer = await http.delete(f"/api/v2/auth/sessions/{wanted}", headers=authorized(first))
        assert (answer.status_code, answer.json()["sessionId"]) == (200, wanted)
    assert (await sign_in.sessions(second)).status_code == 401

    foreign = await http.delete(f"/api/v2/auth/sessions/{wanted}", headers=authorized(stranger))
    assert (foreign.status_code, foreign.json()["code"]) == (404, "NOT_FOUND")
    wrong = await http.delete("/api/v2/auth/sessions/7", headers=authorized(first))
    assert (wrong.status_code, wrong.json()["error"]) == (400, "id: must be the id of a session")

    rest = await http.delete("/api/v2/auth/sessions", headers=authorized(first))
    assert rest.json() == {"revoked": 1}
    assert [(await sign_in.sessions(token)).status_code for token in (first, third, stranger)] == [200, 401, 200]


async def test_a_second_wallet_is_linked_to_session_and_account(sign_in: SignInClient) -> None:
    first, second = new_wallet(), Keypair()
    begun = (await sign_in.ethereum(first)).json()
    sign_in.clock.advance(minutes=10)
    joined = (await sign_in.solana(second, bearer=begun["accessToken"])).json()
    assert (joined["sessionId"], joined["accountId"]) == (begun["sessionId"], begun["accountId"])
    assert joined["wallets"] == [first.address, str(second.pubkey())]
    assert joined["wallet"] == str(second.pubkey())
    assert joined["expiresAt"] == begun["expiresAt"]
    # The earlier token lacks the second wallet; the store has it.
    for token in (begun["accessToken"], joined["accessToken"]):
        listed = (await sign_in.sessions(token)).json()
        assert listed["sessions"][0]["wallets"] == joined["wallets"]
    # Either wallet can now sign in to the account alone.
    alone = (await sign_in.solana(second)).json()
    assert (alone["accountId"], alone["wallets"]) == (begun["accountId"], [str(second.pubkey())])
    again = (await sign_in.ethereum(first, bearer=joined["accessToken"])).json()
    assert again["wallets"] == joined["wallets"]


async def test_a_read_only_session_links_no_wallet_and_ends_only_itself(
    sign_in: SignInClient,
) -> None:
    wallet, other = new_wallet(), new_wallet()
    full = await sign_in.token(wallet)
    reading = (await sign_in.ethereum(wallet, scopes=["api:read"])).json()
    token, http = reading["accessToken"], sign_in.service.anonymous
    linking = await sign_in.ethereum(other, bearer=token)
    listed = (await sign_in.sessions(full)).json()["sessions"]
    theirs = next(entry["id"] for entry in listed if entry["id"] != reading["sessionId"])
    ending = [
        await http.delete(f"/api/v2/auth/sessions{path}", headers=authorized(token)) for path in ("", f"/{theirs}")
    ]
    for refused in (linking, *ending):
        assert (refused.status_code, refused.json()["requiredScope"]) == (403, "api:write")
    assert (await sign_in.ethereum(other)).json()["accountId"] != reading["accountId"]
    own = await http.delete(f"/api/v2/auth/sessions/{reading['sessionId']}", headers=authorized(token))
    assert own.status_code == 200
    assert (await sign_in.sessions(full)).json()["total"] == 1


async def test_a_wallet_of_another_account_cannot_be_linked(sign_in: SignInClient) -> None:
    mine, theirs = new_wallet(), new_wallet()
    await sign_in.token(theirs)
    token = await sign_in.token(mine)
    refused = await sign_in.ethereum(theirs, bearer=token)
    assert (refused.status_code, refused.json()["code"]) == (409, "WALLET_LINKED_ELSEWHERE")
    assert (await sign_in.sessions(token)).json()["sessions"][0]["wallets"] == [mine.address]


async def test_a_wallet_cannot_be_linked_to_an_ended_session(sign_in: SignInClient, store: Connection) -> None:
    token = await sign_in.token()
    await sign_in.service.anonymous.post("/api/v2/auth/logout", headers=authorized(token))
    refused = await sign_in.ethereum(new_wallet(), bearer=token)
    assert refused.status_code == 401
    assert store.execute("SELECT count(*) AS n FROM account_wallet WHERE wallet <> %s", (HOLDER,)).fetchone() == {
        "n": 1
    }


async def test_a_wallet_with_a_key_signs_in_to_its_account(
    sign_in: SignInClient, store_url: str, store: Connection
) -> None:
    wallet = new_wallet()
    Accounts(store_url).create_key(wallet.address, "developer")
    body = (await sign_in.ethereum(wallet)).json()
    assert body["plan"] == "developer"
    row = store.execute("SELECT id::text FROM account WHERE wallet = %s", (wallet.address.lower(),)).fetchone()
    assert row == {"id": body["accountId"]}


async def test_an_app_session_is_not_a_wallet_session(sign_in: SignInClient) -> None:
    tokens = sign_in.service.services.tokens
    token = tokens.issue_app_session(HOLDER, API, now=sign_in.clock.now())
    assert jwt.decode(token, options={"verify_signature": False})["typ"] == APP_SESSION
    assert (await sign_in.sessions(token)).status_code == 401


async def test_claimable_takes_the_wallet_from_a_session(sign_in: SignInClient) -> None:
    token = await sign_in.token()
    client = sign_in.service.client
    assert (await client.get("/api/v2/registration/claimable")).status_code == 400
    scanned = await client.get("/api/v2/registration/claimable", headers=authorized(token))
    assert (scanned.status_code, scanned.json()) == (200, {"tokens": [], "total": 0})
    ended = await client.get("/api/v2/registration/claimable", headers=authorized("nonsense"))
    assert ended.status_code == 401
    assert (await sign_in.service.anonymous.get("/api/v2/registration/claimable")).status_code == 401


async def test_claimable_refuses_a_wallet_that_is_not_of_the_session(sign_in: SignInClient) -> None:
    wallet, other = new_wallet(), new_wallet()
    token = await sign_in.token(wallet)
    client = sign_in.service.client
    for named, status in ((wallet.address, 200), (other.address, 400)):
        headers = {**authorized(token), "X-Wallet-Address": named}
        answer = await client.get("/api/v2/registration/claimable", headers=headers)
        assert answer.status_code == status
    assert answer.json()["error"] == "X-Wallet-Address: is not a wallet of the session that was sent with it"


async def test_contract_wallets_sign_in_before_and_after_deployment(
    claim_chain: ClaimChain, serve: Serve, clock: ManualClock
) -> None:
    owner = claim_chain.wallet()
    deployed = claim_chain.deploy(owner, "SignatureWallet", owner.address)
    planned, factory, call = claim_chain.counterfactual(owner)
    async with serve(clock=clock, site_url=SITE, base_url=API, chains=claim_chain.chains_path) as service:
        sign_in = SignInClient(service, clock)

        async def attempt(
            address: str, key: LocalAccount = owner, chain: str = "8453", *, wrapped: bool = False
        ) -> int:
            text = siwe.write(await sign_in.message(to_checksum_address(address), chain=chain))
            signature = sign(key, text)
            if wrapped:
                parts = [factory, bytes.fromhex(call[2:]), bytes.fromhex(signature[2:])]
                signature = "0x" + (encode(["address", "bytes", "bytes"], parts) + b"\x64\x92" * 16).hex()
            return (await sign_in.login("siwe", text, signature)).status_code

        assert await attempt(deployed) == 200
        assert await attempt(planned, wrapped=True) == 200
        assert await attempt(deployed, new_wallet()) == 401
        assert await attempt(planned, new_wallet(), wrapped=True) == 401
        # Ethereum is known and has no node here: plain wallets sign in, contracts cannot be asked.
        assert await attempt(deployed, chain="1") == 401
        assert await attempt(owner.address, chain="1") == 200


async def test_a_chain_that_does_not_answer_is_503_and_keeps_the_nonce(
    serve: Serve, clock: ManualClock, tmp_path: Path
) -> None:
    path = tmp_path / "chains.toml"
    path.write_text('[chains.base]\nrpc_urls = ["http://127.0.0.1:9"]\n')
    async with serve(clock=clock, site_url=SITE, base_url=API, chains=path, chain_timeout_seconds=1) as service:
        sign_in = SignInClient(service, clock)
        wallet = new_wallet()
        nonce = await sign_in.nonce()
        text = siwe.write(await sign_in.message(wallet.address, chain="8453", nonce=nonce))
        answer = await sign_in.login("siwe", text, sign(new_wallet(), text))
        assert (answer.status_code, answer.json()["code"]) == (503, "UNAVAILABLE")
        assert int(answer.headers["retry-after"]) > 0
        assert (await sign_in.login("siwe", text, sign(wallet, text))).status_code == 200


async def test_sessions_are_kept_for_a_month_after_their_end(sign_in: SignInClient, store: Connection) -> None:
    for _ in range(3):
        await sign_in.token()
    kept = "SELECT count(*) AS n FROM wallet_session"
    sign_in.clock.advance(days=30)
    await sign_in.token()
    assert store.execute(kept).fetchone() == {"n": 4}
    sign_in.clock.advance(hours=2)
    await sign_in.token()
    assert store.execute(kept).fetchone() == {"n": 2}


async def test_the_session_lifetime_is_configurable(serve: Serve, clock: ManualClock) -> None:
    async with serve(clock=clock, site_url=SITE, base_url=API, session_seconds=60) as service:
        sign_in = SignInClient(service, clock)
        token = await sign_in.token()
        sign_in.clock.advance(seconds=58)
        assert (await sign_in.sessions(token)).status_code == 200
        sign_in.clock.advance(seconds=2)
        assert (await sign_in.sessions(token)).status_code == 401


async def test_unreadable_signing_keys_are_503_and_end_no_session(sign_in: SignInClient) -> None:
    token = await sign_in.token()
    path = sign_in.service.services.tokens.keys.path
    kept = path.read_text()
    path.write_text("half a fi")
    for answer in (
        await sign_in.sessions(token),
        await sign_in.ethereum(new_wallet()),
        await sign_in.service.anonymous.get("/api/v2/apps/jwks"),
    ):
        assert (answer.status_code, answer.json()["code"]) == (503, "UNAVAILABLE"), answer.text
        assert int(answer.headers["retry-after"]) >= 1
        assert "half" not in answer.text
    path.write_text(kept)
    assert (await sign_in.sessions(token)).status_code == 200
