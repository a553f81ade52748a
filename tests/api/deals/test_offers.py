"""Making offers: what they must say, and the four checks in their order."""

import asyncio
from itertools import product
from typing import Any

import pytest

from api.deals import roles
from tests.factories.registrations import add_registration
from tests.fixtures.deals import Market

CODE = "VALIDATION_INVALID_INPUT"
UNKNOWN = "01980000-0000-7000-8000-000000000000"


async def test_an_offer_is_made_and_only_the_holder_is_told(market: Market) -> None:
    holder, offerer = await market.holder(), market.trader()
    await offerer.verify()
    answer = await offerer.offer(message="Let us talk.")
    assert answer.status_code == 200, answer.text
    made = answer.json()
    deal = made["deal"]
    assert (made["success"], made["status"], made["dealId"]) == (True, "draft", deal["id"])
    assert (deal["stage"], deal["deadline_kind"], deal["actions"]) == ("awaiting_response", "offer", ["cancel"])
    assert (deal["agreed_amount"], deal["agreed_currency"]) == ("25000", "USDC")
    assert (deal["crown_holder"], deal["fund_verification_pct"]) == (holder.address, 100)
    assert deal["expires_at"] == deal["deadline"]
    (told,) = market.events()
    assert (told["type"], told["account_id"]) == ("deal.created", await holder.account_id())
    assert set(told["payload"]) == {"deal_id", "title", "body", "symbol", "chain_id", "action_url"}
    assert "25000" not in str(told["payload"])


async def test_the_names_of_the_parties_cross_at_the_edge(market: Market) -> None:
    """Swapping them would pay the wrong party."""
    holder, offerer = await market.holder(), market.trader()
    await offerer.verify()
    made = (await offerer.offer(buyer_address=offerer.address)).json()["deal"]
    assert made["seller_address"] == offerer.address
    assert "buyer_address" not in made
    accepted = await holder.moved("accept", made["id"])
    assert (accepted["seller_address"], accepted["buyer_address"]) == (offerer.address, holder.address)
    row = market.store.execute("SELECT offerer, holder FROM deal").fetchone()
    assert row == {"offerer": offerer.address.lower(), "holder": holder.address.lower()}
    for role, listed in (("seller", offerer), ("buyer", holder)):
        for trader in (offerer, holder):
            page = (await market.outsider(f"/deals/address/{trader.address}", role=role)).json()
            assert page["total"] == int(trader is listed), (role, trader is offerer)
    assert (roles.OFFERER_IN_OFFER, roles.OFFERER_IN_RECORD, roles.HOLDER_IN_RECORD) == (
        "buyer_address", "seller_address", "buyer_address",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"deal_type": "swap"}, "deal_type"),
        ({"deal_type": None}, "deal_type"),
        ({"agreed_amount": None}, "agreed_amount"),
        ({"agreed_amount": "1e5"}, "agreed_amount"),
        ({"agreed_amount": "0"}, "agreed_amount"),
        ({"agreed_amount": "-5"}, "agreed_amount"),
        ({"agreed_amount": "25000.0000001"}, "agreed_amount"),
        ({"agreed_amount": "9" * 100}, "agreed_amount"),
        ({"agreed_currency": None}, "agreed_currency"),
        ({"agreed_currency": "SOL"}, "agreed_currency"),
        ({"agreed_currency": "DOGE"}, "agreed_currency"),
        ({"agreed_currency": "0x" + "12" * 20}, "agreed_currency"),
        ({"agreed_currency": "ETH"}, "agreed_amount"),  # no price is published
        ({"agreed_currency": "ETH", "chain_id": "gnosis"}, "agreed_currency"),
        ({"payment_method": "escrow"}, "payment_method"),
        ({"offer_window_days": 8}, "offer_window_days"),
        ({"offer_window_days": 7, "buyout_terms": {"redemptionWindow": 30}}, "offer_window_days"),
        ({"buyout_terms": {"redemptionWindow": 29}}, "buyout_terms.redemptionWindow"),
        ({"collab_terms": {}}, "collab_terms"),
        ({"deal_type": "merge", "agreed_amount": None, "agreed_currency": None}, "migration_terms"),
        ({"deal_type": "merge", "migration_terms": {"swapWindow": 30}}, "agreed_amount"),
        ({"chain_id": "nowhere"}, "chain_id"),
        ({"message": "a\0b"}, "message"),
    ],
)
async def test_what_is_not_valid_is_refused_by_name(market: Market, changes: dict[str, Any], field: str) -> None:
    await market.holder()
    answer = await market.trader(usdc=0).offer(**changes)
    assert (answer.status_code, answer.json()["code"]) == (400, CODE), answer.text
    assert answer.json()["error"].startswith(field), answer.text


async def test_nobody_makes_an_offer_to_oneself_or_for_nothing(market: Market) -> None:
    holder = await market.holder()
    assert (await holder.offer()).status_code == 400
    stranger = market.trader(usdc=0)
    for changes, status in (
        ({"symbol": "NOPE"}, 404), ({"chain_id": 100}, 404), ({"token_address": "0x" + "12" * 20}, 404),
        ({"buyer_address": holder.address}, 403),
    ):  # fmt: skip
        answer = await stranger.offer(**changes)
        assert answer.status_code == status, answer.text
    assert market.store.execute("SELECT 1 FROM deal").fetchall() == []


@pytest.fixture
def tight(monkeypatch: pytest.MonkeyPatch) -> None:
    """One offer a week, of all accounts."""
    monkeypatch.setenv("REGALIA_DEAL_OFFERS_PER_WEEK", "1")


async def test_the_first_failing_check_answers(tight: None, market: Market) -> None:
    """All combinations of the four failures: 400, 403, 402, 429."""
    assert market.service.services.settings.deal_offers_per_week == 1
    holder = await market.holder()
    add_registration(market.store, "OTHER", token_id=999, transaction_hash="0x" + "cc" * 32)
    statuses = (400, 403, 402, 429)
    for broken in product((False, True), repeat=4):
        too_low, unwelcome, unfunded, too_many = broken
        offerer = market.trader()
        if not unfunded:
            assert (await offerer.verify(50_000)).json()["verified"]
        if too_many:
            merge = {"deal_type": "merge", "agreed_amount": None, "agreed_currency": None}
            first = await offerer.offer("OTHER", **merge, migration_terms={"swapWindow": 30})
            assert first.status_code == 200, first.text
        await holder.ask("PUT", "/offer-floor", {"floorUsd": 30_000 if unwelcome else 0})
        answer = await offerer.offer(agreed_amount="50" if too_low else "25000")
        expected = next((status for status, is_broken in zip(statuses, broken, strict=True) if is_broken), 200)
        assert answer.status_code == expected, (broken, answer.text)
        if expected == 403:
            assert answer.json()["code"] == "FORBIDDEN"
        elif expected != 200:
            assert answer.json()["code"] == CODE
        assert expected != 429 or int(answer.headers["Retry-After"]) > 6 * 86_400


async def test_simultaneous_offers_stay_within_the_week(tight: None, market: Market) -> None:
    offerer = market.trader()
    for symbol in ("AAA", "BBB", "CCC"):
        await market.holder(symbol)
    await offerer.verify()
    answers = await asyncio.gather(*(offerer.offer(symbol) for symbol in ("AAA", "BBB", "CCC")))
    assert sorted(answer.status_code for answer in answers) == [200, 429, 429]


async def test_holders_say_which_offers_they_take(market: Market) -> None:
    holder, offerer = await market.holder(), market.trader()
    await offerer.verify()
    assert (await holder.ask("GET", "/offer-floor")).json() == {"offerFloorUsd": 0, "offersDisabled": False}
    changed = await holder.ask("PUT", "/offer-floor", {"floorUsd": 25_001})
    assert changed.json() == {"offerFloorUsd": 25_001, "offersDisabled": False}
    assert (await offerer.offer()).status_code == 403
    assert (await holder.ask("PUT", "/offer-floor", {"floorUsd": None})).json()["offerFloorUsd"] == 0
    assert (await holder.ask("PUT", "/offer-floor", {"offersDisabled": True})).json()["offersDisabled"] is True
    assert (await offerer.offer()).status_code == 403
    assert (await holder.ask("PUT", "/offer-floor", {"floorUsd": 100_000_001})).status_code == 400


async def test_offers_and_cancellations_share_ten_requests_a_minute(market: Market) -> None:
    await market.holder()
    offerer = market.trader(usdc=0)
    answers = [await offerer.offer() for _ in range(9)] + [await offerer.move("cancel", UNKNOWN)]
    assert {answer.status_code for answer in answers} == {402, 404}
    for over in (await offerer.offer(), await offerer.move("cancel", UNKNOWN), await offerer.ask("POST", "/group", {})):
        assert (over.status_code, over.json()["code"]) == (429, CODE)
    market.clock.advance(seconds=61)
    assert (await offerer.offer()).status_code == 402


async def test_both_credentials_are_required(market: Market) -> None:
    reader = market.trader(usdc=0, scopes=["api:read"])
    headers = await reader.headers()
    ask = market.service.anonymous.get
    assert (await ask("/api/v2/deals/mine", headers=headers)).status_code == 200
    for missing in headers:
        kept = {name: value for name, value in headers.items() if name != missing}
        assert (await ask("/api/v2/deals/mine", headers=kept)).status_code == 401
    as_bearer = {**headers, "Authorization": f"Bearer {market.service.key}"}
    assert (await ask("/api/v2/deals/mine", headers=as_bearer)).status_code == 401
    assert (await reader.offer()).status_code == 403
