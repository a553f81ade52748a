"""A claim waits while the copy verdicts are old or say nothing; a refusal says by which rule, figures and original."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from eth_account.signers.local import LocalAccount

from tests.factories.registrations import add_registration
from tests.fixtures.claims import ClaimChain, Claimer
from tests.fixtures.service import Serve, Service


async def build(service: Service, symbol: str, token: str, wallet: LocalAccount) -> Any:
    return await Claimer(service, symbol, token, wallet.address).build("0x" + "00" * 32)


async def qualify(service: Service, symbol: str, token: str, wallet: LocalAccount) -> Any:
    body = {"wallet": wallet.address, "tokenAddress": token, "chainId": 8453, "symbol": symbol}
    return await service.post("/registration/check-qualify", body)


@pytest.mark.parametrize("indexed", [True, False])
@pytest.mark.parametrize(
    "change",
    [
        "UPDATE copy_progress SET as_of_time = now() - interval '11 minutes'",
        "DELETE FROM copy_progress",
    ],
)
async def test_old_verdicts_are_no_permission(
    claim_chain: ClaimChain, claim_service: Service, change: str, indexed: bool
) -> None:
    wallet = claim_chain.wallet()
    token = claim_chain.token(wallet, "AGED")
    if indexed:
        claim_chain.publish_token(token, "AGED")
    claim_chain.store.execute(change)
    claim_chain.node.rpc("anvil_mine", "0x1")
    for answer in (
        await build(claim_service, "AGED", token, wallet),
        await qualify(claim_service, "AGED", token, wallet),
    ):
        assert (answer.status_code, answer.json()["code"]) == (503, "TOKEN_UNVERIFIED")
        assert int(answer.headers["retry-after"]) > 0
    claim_chain.publish_progress()
    assert (await build(claim_service, "AGED", token, wallet)).json()["code"] == "CLAIM_UNAUTHORIZED"


async def test_a_failed_check_of_the_data_is_no_permission(claim_chain: ClaimChain, claim_service: Service) -> None:
    wallet = claim_chain.wallet()
    token = claim_chain.token(wallet, "SOUND")
    claim_chain.publish_token(token, "SOUND")
    claim_chain.store.execute(
        "INSERT INTO check_failure (check_name, chain_id, part, violations, example, stops)"
        " VALUES ('repeated_logs', 1, '{}', 1, '{}', 'publication')"
    )
    for answer in (
        await build(claim_service, "SOUND", token, wallet),
        await qualify(claim_service, "SOUND", token, wallet),
    ):
        assert (answer.status_code, answer.json()["code"]) == (503, "TOKEN_UNVERIFIED")
        assert int(answer.headers["retry-after"]) > 0
    claim_chain.store.execute(
        "INSERT INTO check_override (check_name, reason, ends_at) VALUES ('repeated_logs', 'x', now() + interval '1 h')"
    )
    assert (await build(claim_service, "SOUND", token, wallet)).json()["code"] == "CLAIM_UNAUTHORIZED"


async def test_how_old_verdicts_may_be_is_a_setting(claim_chain: ClaimChain, serve: Serve, warehouse_url: str) -> None:
    wallet = claim_chain.wallet()
    token = claim_chain.token(wallet, "AGED")
    claim_chain.publish_progress(as_of_time=datetime.now(UTC) - timedelta(hours=1))
    async with serve(
        chains=claim_chain.chains_path, clickhouse_url=warehouse_url, verdict_max_age_seconds=7200
    ) as service:
        assert (await build(service, "AGED", token, wallet)).json()["code"] == "CLAIM_UNAUTHORIZED"


async def test_a_verdict_on_another_symbol_is_no_permission(claim_chain: ClaimChain, claim_service: Service) -> None:
    wallet = claim_chain.wallet()
    token = claim_chain.token(wallet, "LUMEN")
    claim_chain.publish_token(token, "HARMLESS")
    for answer in (
        await build(claim_service, "LUMEN", token, wallet),
        await qualify(claim_service, "LUMEN", token, wallet),
    ):
        assert (answer.status_code, answer.json()["code"]) == (503, "TOKEN_UNVERIFIED")


@pytest.mark.parametrize("why", ["creation_unknown", "depth_unknown"])
async def test_a_token_that_cannot_be_judged_waits(claim_chain: ClaimChain, claim_service: Service, why: str) -> None:
    wallet = claim_chain.wallet()
    token = claim_chain.token(wallet, "MURKY")
    claim_chain.publish_token(token, "MURKY", copy_unknown=why)
    for answer in (
        await build(claim_service, "MURKY", token, wallet),
        await qualify(claim_service, "MURKY", token, wallet),
    ):
        assert (answer.status_code, answer.json()["code"]) == (503, "TOKEN_UNVERIFIED")


async def test_a_refusal_gives_rule_figures_and_original(claim_chain: ClaimChain, claim_service: Service) -> None:
    wallet, since = claim_chain.wallet(), datetime(2026, 1, 1, 5, tzinfo=UTC)
    original, copy = claim_chain.token(wallet, "LUMEN"), claim_chain.token(wallet, "LUMEN")
    claim_chain.publish_token(
        original, "LUMEN", weight_usd=60_000, established_usd=Decimal("64000.5"), senior_since=since, senior_block=7
    )
    claim_chain.publish_token(
        copy, "LUMEN", is_copy=True, copy_rule="senior", copy_of_chain_id=8453, copy_of_address=original,
        weight_usd=Decimal("1200.25"), senior_since=since + timedelta(hours=3), senior_block=90,
    )  # fmt: skip
    claim_chain.publish_progress(as_of_block=123)
    refused = (await build(claim_service, "LUMEN", copy, wallet)).json()
    asked = (await qualify(claim_service, "LUMEN", copy, wallet)).json()
    assert (refused["code"], refused["check"], asked["reason"]) == ("TOKEN_NOT_REGISTRABLE", "copycat", "copycat")
    assert refused["claimability"] == asked["claimability"]
    assert refused["claimability"]["rule"] == "senior"
    assert refused["claimability"]["original"]["tokenAddress"].lower() == original
    figures = refused["claimability"]["evidence"]
    assert (figures["weightUsd"], figures["seniorBlock"], figures["asOfBlock"]) == (1200.25, 90, 123)
    assert (figures["originalWeightUsd"], figures["originalSeniorBlock"]) == (64000.5, 7)
    assert figures["originalSeniorSince"] == "2026-01-01T05:00:00.000Z"


@pytest.mark.parametrize("ended", [None, datetime(2026, 1, 1, tzinfo=UTC)])
async def test_a_copy_of_a_registered_token_waits_when_that_registration_ends(
    claim_chain: ClaimChain, claim_service: Service, ended: datetime | None
) -> None:
    """The chain's registry has the symbol free: the end is not indexed yet, or the copy is not judged again yet."""
    wallet = claim_chain.wallet()
    original, copy = claim_chain.token(wallet, "LUMEN"), claim_chain.token(wallet, "LUMEN")
    claim_chain.publish_token(original, "LUMEN")
    claim_chain.publish_token(
        copy, "LUMEN", is_copy=True, copy_rule="registered", copy_of_chain_id=8453, copy_of_address=original
    )
    add_registration(claim_chain.store, "LUMEN", token_address=original, released_at=ended)
    answer = await build(claim_service, "LUMEN", copy, wallet)
    assert (answer.status_code, answer.json()["code"]) == (503, "TOKEN_UNVERIFIED")
    assert (await build(claim_service, "LUMEN", original, wallet)).json()["code"] == "CLAIM_UNAUTHORIZED"


async def test_an_operators_verdict_overrides_the_rules_and_says_why(
    claim_chain: ClaimChain, claim_service: Service
) -> None:
    wallet = claim_chain.wallet()
    murky, plain = claim_chain.token(wallet, "HAND"), claim_chain.token(wallet, "HAND")
    claim_chain.publish_token(murky, "HAND", copy_unknown="depth_unknown")
    claim_chain.publish_token(plain, "HAND")
    for token, is_copy, of in ((murky, False, None), (plain, True, murky)):
        claim_chain.store.execute(
            "INSERT INTO copy_ruling VALUES (8453, %s, %s, %s, 'Shown by mail.')", (token, is_copy, of)
        )
    assert (await build(claim_service, "HAND", murky, wallet)).json()["code"] == "CLAIM_UNAUTHORIZED"
    refused = (await build(claim_service, "HAND", plain, wallet)).json()["claimability"]
    assert (refused["rule"], refused["evidence"]["operatorExplanation"]) == ("operator", "Shown by mail.")
    assert refused["original"]["tokenAddress"].lower() == murky
