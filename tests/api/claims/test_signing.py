"""Signing for requests: beside the event loop, and refused at once while a remote signer is down."""

import asyncio
import time
from collections.abc import AsyncIterator

import pytest
from eth_account import Account

from api.claims.errors import SigningUnavailable
from api.claims.signing import Signing
from indexer.contracts.signer import KeySigner
from indexer.contracts.signing import open_signer
from indexer.contracts.statements import MintAuthorization
from tests.fixtures.remote_signer import RemoteSignerDouble
from tests.fixtures.waiting import wait_until_async
from warehouse.settings import EngineSettings

REGISTRY = "0x" + "ab" * 20
LIMIT_SECONDS = 30.0
MINT = MintAuthorization("0x" + "01" * 20, "0x" + "02" * 20, "AURUM", 10**18, 2_000_000_000, 7)


@pytest.fixture
async def remote() -> AsyncIterator[RemoteSignerDouble]:
    with RemoteSignerDouble() as double:
        yield double


@pytest.fixture
async def signing(remote: RemoteSignerDouble, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Signing]:
    monkeypatch.delenv("REGALIA_SIGNER_PRIVATE_KEY", raising=False)
    settings = EngineSettings(
        signer_url=remote.url, signer_address=remote.account.address, signer_timeout_seconds=LIMIT_SECONDS
    )
    opened = Signing(open_signer(settings))
    yield opened
    await opened.close()


async def refused_in(signing: Signing) -> float:
    begun = time.monotonic()
    with pytest.raises(SigningUnavailable):
        await signing.sign(8453, REGISTRY, MINT)
    return time.monotonic() - begun


async def test_a_key_in_the_process_has_no_breaker() -> None:
    signing = Signing(KeySigner(Account.create()))
    assert signing.breaker is None
    assert len(await signing.sign(8453, REGISTRY, MINT)) == 65


@pytest.mark.slow
async def test_a_silent_signer_is_refused_at_once_and_noticed_when_it_is_back(
    remote: RemoteSignerDouble, signing: Signing
) -> None:
    assert len(await signing.sign(8453, REGISTRY, MINT)) == 65
    remote.silence.set()
    assert await refused_in(signing) < LIMIT_SECONDS, "the circuit opens before the request's own limit"
    breaker = signing.breaker
    assert breaker is not None
    assert (breaker.is_open, breaker.refused) == (True, 0)
    await refused_in(signing)
    assert breaker.refused == 1
    remote.silence.clear()
    await wait_until_async(lambda: not breaker.is_open)
    assert len(await signing.sign(8453, REGISTRY, MINT)) == 65


async def test_a_signer_that_refuses_a_statement_is_not_down(remote: RemoteSignerDouble, signing: Signing) -> None:
    remote.answer_with = lambda _: (200, b'{"error": {"message": "policy"}}')
    await refused_in(signing)
    await asyncio.sleep(1)
    assert signing.breaker is not None
    assert not signing.breaker.is_open
