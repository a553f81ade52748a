"""How many sessions a wallet has, and that nobody ends another wallet's."""

import asyncio

import pytest
from solders.keypair import Keypair

from api.auth import siwe
from tests.fixtures.clocks import ManualClock
from tests.fixtures.service import Serve
from tests.fixtures.sign_in import API, SITE, SignInClient, authorized, new_wallet, sign


async def test_a_further_sign_in_ends_the_wallets_oldest_session(sign_in: SignInClient) -> None:
    wallet = new_wallet()
    tokens = [await sign_in.token(wallet) for _ in range(12)]
    statuses = [(await sign_in.sessions(token)).status_code for token in tokens]
    assert statuses == [401, 401] + [200] * 10
    assert (await sign_in.sessions(tokens[-1])).json()["total"] == 10


async def test_a_cached_session_that_was_ended_is_refused_at_once(serve: Serve, clock: ManualClock) -> None:
    async with serve(
        clock=clock, site_url=SITE, base_url=API, session_cache_seconds=60, sessions_per_wallet=1
    ) as service:
        sign_in, wallet = SignInClient(service, clock), new_wallet()
        old = await sign_in.token(wallet)
        assert (await sign_in.sessions(old)).status_code == 200
        new = await sign_in.token(wallet)
        assert [(await sign_in.sessions(token)).status_code for token in (old, new)] == [401, 200]


async def test_sign_ins_of_one_wallet_end_no_session_of_another(sign_in: SignInClient) -> None:
    """Two wallets of one account: one signs in again and again, alone and with the other's session."""
    owner, other = new_wallet(), Keypair()
    token = await sign_in.token(owner)
    assert (await sign_in.solana(other, bearer=token)).status_code == 200
    for _ in range(15):
        assert (await sign_in.solana(other)).status_code == 200
        assert (await sign_in.solana(other, bearer=token)).status_code == 200
    assert (await sign_in.sessions(token)).status_code == 200
    assert (await sign_in.sessions(token)).json()["total"] == 11


async def test_nobody_without_the_wallets_signature_ends_its_session(sign_in: SignInClient) -> None:
    wallet = new_wallet()
    token = await sign_in.token(wallet)
    for _ in range(12):
        text = siwe.write(await sign_in.message(wallet.address))
        forged = await sign_in.login("siwe", text, sign(new_wallet(), text))
        assert forged.status_code == 401
    assert (await sign_in.sessions(token)).status_code == 200


async def test_joining_a_session_ends_none(sign_in: SignInClient) -> None:
    wallets = [new_wallet() for _ in range(3)]
    token = await sign_in.token(wallets[0])
    for _ in range(6):
        for wallet in wallets:
            assert (await sign_in.ethereum(wallet, bearer=token)).status_code == 200
    assert (await sign_in.sessions(token)).json()["total"] == 1


@pytest.mark.parametrize("most", [1, 3])
async def test_concurrent_sign_ins_leave_as_many_as_allowed(serve: Serve, clock: ManualClock, most: int) -> None:
    async with serve(
        clock=clock, site_url=SITE, base_url=API, session_cache_seconds=0, sessions_per_wallet=most
    ) as service:
        sign_in, wallet = SignInClient(service, clock), new_wallet()
        tokens = await asyncio.gather(*(sign_in.token(wallet) for _ in range(12)))
        statuses = [(await sign_in.sessions(token)).status_code for token in tokens]
        assert statuses.count(200) == most


async def test_signing_in_and_unlinking_at_once_does_not_deadlock(serve: Serve, clock: ManualClock) -> None:
    async with serve(
        clock=clock, site_url=SITE, base_url=API, session_cache_seconds=0, sessions_per_wallet=2
    ) as service:
        sign_in, first, second = SignInClient(service, clock), new_wallet(), new_wallet()
        http = service.anonymous
        for _ in range(5):
            token = await sign_in.token(first)
            await sign_in.ethereum(second, bearer=token)
            path = f"/api/v2/account/wallets/{second.address}"
            answers = await asyncio.gather(
                *(sign_in.ethereum(second) for _ in range(4)),
                sign_in.ethereum(second, bearer=token),
                http.delete(path, headers=authorized(token)),
                http.delete("/api/v2/auth/sessions", headers=authorized(token)),
            )
            assert not [answer.text for answer in answers if answer.status_code >= 500]
