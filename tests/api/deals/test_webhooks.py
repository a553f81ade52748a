"""Deliveries of deal events: signed, to the party that an event is for, and without what only readers may see."""

from collections import Counter
from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook

from api.accounts.service import Accounts
from api.outbound.client import Outbound
from api.webhooks.engine import webhook_engine
from tests.fixtures.deals import Market, Trader
from tests.fixtures.webhooks import Receivers, receivers
from warehouse.domain.events.catalogue import EVENTS

__all__ = ["receivers"]
TYPES = sorted(type for type in EVENTS if type.startswith("deal."))
SHOWN = {"deal_id", "title", "body", "symbol", "chain_id", "action_url"}
CANARY = "CANARYTERM"


@pytest.fixture(autouse=True)
def loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let subscriptions name the tests' receivers."""
    monkeypatch.setenv("REGALIA_OUTBOUND_LOOPBACK", "true")


async def subscribed(market: Market, trader: Trader, url: str, store_url: str) -> str:
    """Subscribe a wallet's account to every event of deals; the secret."""
    await trader.headers()
    key = Accounts(store_url).create_key(trader.address.lower(), "developer").key
    answer = await market.service.anonymous.post(
        "/api/v2/webhooks", json={"url": url, "events": TYPES}, headers={"X-API-Key": key}
    )
    assert answer.status_code == 201, answer.text
    return str(answer.json()["secret"])


async def delivered(market: Market) -> None:
    """Deliver what is due."""
    outbound, services = Outbound(allow_loopback=True), market.service.services
    engine = webhook_engine(services.store, outbound, services.sealer, market.clock, user_agent="Regalia-Webhook/1.0")
    await engine.run_until_idle()
    await outbound.close()


async def test_each_party_gets_its_events_signed_and_without_terms(
    market: Market, receivers: Receivers, store_url: str
) -> None:
    holder, offerer, stranger = await market.holder(), market.trader(), market.trader(usdc=0)
    parties = {"holder": holder, "offerer": offerer, "stranger": stranger}
    secrets = {
        name: await subscribed(market, trader, receivers.url(name), store_url) for name, trader in parties.items()
    }
    terms: dict[str, Any] = {"proposedSymbol": CANARY, "partnerShareBps": 4321, "liquidityCommitmentUsd": 7654.5}
    free = {"agreed_amount": None, "agreed_currency": None}
    await offerer.verify()
    made = await offerer.offer(deal_type="collab", collab_terms=terms, message=CANARY, **free)
    assert made.status_code == 200, made.text
    id = made.json()["dealId"]
    await holder.moved("accept", id, response_message=CANARY)
    await holder.moved("cancel", id)
    await delivered(market)

    got = {name: Counter(sent.envelope["type"] for sent in receivers.of(name)) for name in parties}
    assert got == {
        "holder": Counter(["deal.created", "deal.cancelled"]),
        "offerer": Counter(["deal.accepted", "deal.cancelled"]),
        "stranger": Counter(),
    }
    for name, secret in secrets.items():
        for sent in receivers.of(name):
            assert Webhook(secret).verify(sent.body, sent.headers) == sent.envelope
            data = sent.envelope["data"]
            assert set(data) == SHOWN
            assert data["deal_id"] == id
            told = str(data).replace(id, "").lower()
            for hidden in (CANARY, "4321", "7654", offerer.address, holder.address):
                assert hidden.lower() not in told
