"""Who sees what: each secret is searched for in everything an audience can read, in both directions."""

import logging
import re
from typing import Any

import pytest

from api.deals.states import DealType
from api.deals.visibility import VISIBLE_TO, Audience, Field
from tests.fixtures.deals import Market, Trader

CANARY = "CANARYTERM"
TERMS: dict[DealType, dict[str, Any]] = {
    DealType.BUYOUT: {"buyout_terms": {"redemptionWindow": 321}},
    DealType.PROJECT_SALE: {"acquisition_terms": {"note": CANARY}},
    DealType.MERGE: {"migration_terms": {"swapWindow": 321}},
    DealType.COLLAB: {
        "collab_terms": {"proposedSymbol": CANARY, "partnerShareBps": 4321, "liquidityCommitmentUsd": 7654.5}
    },
}
SECRETS = {
    DealType.BUYOUT: ["321"],
    DealType.PROJECT_SALE: [CANARY],
    DealType.MERGE: ["321"],
    DealType.COLLAB: [CANARY, "4321", "7654.5"],
}
MEMBERS = {"actions", "signature", "message_hash", "domain_separator", "statement", "terms"}


def test_the_matrix_is_complete() -> None:
    assert set(VISIBLE_TO) == {(kind, field) for kind in DealType for field in Field}


def tells(text: str, secret: str) -> bool:
    """Whether a text holds the secret by itself, not as digits of an address, an id or a time."""
    return re.search(rf"(?<![\w.]){re.escape(secret)}(?![\w])", text) is not None


async def make(market: Market, kind: DealType) -> tuple[Trader, Trader, dict[str, Any]]:
    holder, offerer = await market.holder(), market.trader()
    await offerer.verify()
    free = {} if kind in (DealType.BUYOUT, DealType.PROJECT_SALE) else {"agreed_amount": None, "agreed_currency": None}
    answer = await offerer.offer(deal_type=kind, **free, **TERMS[kind])
    assert answer.status_code == 200, answer.text
    return holder, offerer, answer.json()["deal"]


async def everything(market: Market, trader: Trader | None, deal: dict[str, Any], holder: Trader) -> dict[str, str]:
    """Each read of the deal, as text."""
    id = deal["id"]
    paths = [
        f"/deals/{id}", f"/deals/{id}/events", "/deals/symbol/PEPE", f"/deals/address/{deal['seller_address']}",
        f"/deals/address/{holder.address}", f"/registration/{deal['token_id']}/deals?chain=base",
    ]  # fmt: skip
    headers = {"X-API-Key": market.service.key} if trader is None else await trader.headers()
    found = {}
    for path in paths:
        answer = await market.service.anonymous.get(f"/api/v2{path}", headers=headers)
        assert answer.status_code == 200, (path, answer.text)
        found[path] = answer.text
    return found


@pytest.mark.parametrize("kind", DealType)
async def test_outsiders_and_parties_see_what_the_matrix_says(
    market: Market, kind: DealType, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    holder, offerer, deal = await make(market, kind)
    stranger = market.trader(usdc=0)
    path = f"/deals/{deal['id']}"
    readers = [(Audience.OUTSIDER, None), (Audience.OUTSIDER, stranger)]
    for audience, trader in (*readers, (Audience.OFFERER, offerer), (Audience.HOLDER, holder)):
        read = await everything(market, trader, deal, holder)
        for secret in SECRETS[kind]:
            shown = audience in VISIBLE_TO[kind, Field.EVENT_TERMS]
            assert tells(read[path], secret) is shown, (audience, secret)
            assert tells(read[f"{path}/events"], secret) is shown, (audience, secret)
            assert not any(tells(text, secret) for name, text in read.items() if not name.startswith(path)), audience
        proof = audience in VISIBLE_TO[kind, Field.ATTESTATION_PROOF]
        whole = await trader.read(deal["id"]) if trader else (await market.outsider(path)).json()
        (attested,) = whole["attestations"]
        assert all(bool(attested[name]) is proof for name in MEMBERS & set(attested)), audience
        assert (whole["actions"] is not None) is (audience in VISIBLE_TO[kind, Field.ACTIONS])
        assert "terms" not in whole
        if trader is not None:
            own = (await trader.ask("GET", "/mine")).json()
            assert own["total"] == int(audience is not Audience.OUTSIDER)
            assert all(tells(str(own), secret) for secret in SECRETS[kind]) is (audience is not Audience.OUTSIDER)
    told = str(market.events())
    for secret in SECRETS[kind]:
        assert not tells(told, secret)
        assert not tells(caplog.text, secret)


async def test_what_everybody_may_see_is_there(market: Market) -> None:
    holder, offerer, deal = await make(market, DealType.BUYOUT)
    shown = (await market.outsider(f"/deals/{deal['id']}")).json()
    assert (shown["agreed_amount"], shown["agreed_currency"]) == ("25000", "USDC")
    assert (shown["fund_verification_pct"], shown["crown_holder"]) == (100, holder.address)
    assert (shown["seller_address"], shown["actions"]) == (offerer.address, None)
    assert [event["actor_address"] for event in shown["events"]] == [offerer.address]
    assert str(100_000 * 10**6) not in str(shown)


async def test_events_reach_only_the_account_that_they_concern(market: Market) -> None:
    holder, offerer, deal = await make(market, DealType.BUYOUT)
    await holder.moved("accept", deal["id"])
    await offerer.moved("cancel", deal["id"])
    reached = [(event["type"], event["account_id"]) for event in market.events()]
    of_holder, of_offerer = await holder.account_id(), await offerer.account_id()
    expected = [
        ("deal.created", of_holder),
        ("deal.accepted", of_offerer),
        ("deal.cancelled", of_holder),
        ("deal.cancelled", of_offerer),
    ]
    assert sorted(map(str, reached)) == sorted(map(str, expected))
