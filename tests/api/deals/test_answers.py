"""What follows an offer: acceptance, rejection, cancellation, lapses, groups; and that races have one outcome."""

import asyncio
from typing import Any
from uuid import UUID

import httpx
import pytest

from tests.fixtures.deals import Market, Trader

INVALID_STATE = "DEAL_INVALID_STATE"


def statuses(*answers: httpx.Response) -> list[int]:
    return sorted(answer.status_code for answer in answers)


def told(market: Market) -> list[str]:
    return [event["type"] for event in market.events()]


def reached(market: Market, type: str) -> set[Any]:
    """The accounts that were told."""
    return {event["account_id"] for event in market.events() if event["type"] == type}


async def test_an_accepted_buyout_is_announced_for_seven_days(market: Market) -> None:
    holder, offerer = await market.holder(), market.trader()
    id = await offerer.offered()
    assert (await holder.read(id))["actions"] == ["accept", "reject"]
    deal = await holder.moved("accept", id, response_message="Agreed.")
    assert (deal["status"], deal["stage"], deal["deadline_kind"]) == ("announced", "announcement", "announcement")
    assert (deal["response_message"], deal["actions"]) == ("Agreed.", ["cancel"])
    assert "expires_at" not in deal
    assert [event["event_type"] for event in deal["events"]] == ["offer", "accept"]
    assert [one["move"] for one in deal["attestations"]] == ["offer", "accept"]
    assert told(market) == ["deal.created", "deal.accepted"]
    assert await market.run_clock(days=6, hours=23) == 0
    assert await market.run_clock(hours=2) == 1
    opened = await holder.read(id)
    assert (opened["stage"], opened["deadline_kind"]) == ("awaiting_consent", "burn_consent")
    assert opened["actions"] == ["cancel", "sign_burn_consent"]
    assert (await offerer.read(id))["actions"] == ["cancel"]


async def test_an_answer_needs_no_body(market: Market) -> None:
    holder, offerer = await market.holder(), market.trader()
    accepted, rejected = await offerer.offered(), await offerer.offered()
    for move, id, status in (("accept", accepted, "announced"), ("reject", rejected, "closed")):
        answer = await holder.ask("POST", f"/{id}/{move}")
        assert (answer.status_code, answer.json()["status"]) == (200, status)
    cancelled = await offerer.ask("POST", f"/{accepted}/cancel")
    assert (cancelled.status_code, cancelled.json()["status"]) == (200, "cancelled")


async def test_a_move_that_is_not_open_is_refused_in_words(market: Market) -> None:
    holder, offerer = await market.holder(), market.trader()
    id = await offerer.offered()
    early = await holder.ask("GET", f"/{id}/consent")
    assert (early.status_code, early.json()["code"]) == (400, INVALID_STATE)
    assert early.json()["error"] == "the deal is draft / awaiting_response: the holder cannot consent now"


async def test_what_other_kinds_of_deals_become(market: Market) -> None:
    holder, offerer = await market.holder(), market.trader()
    market.register("WOJAK", holder)
    free = {"agreed_amount": None, "agreed_currency": None}
    await offerer.verify()
    merge = (await offerer.offer(deal_type="merge", migration_terms={"swapWindow": 60}, **free)).json()["dealId"]
    terms = {"proposedSymbol": "BOTH", "partnerShareBps": 5000, "liquidityCommitmentUsd": 5000.5}
    collab = (await offerer.offer("WOJAK", deal_type="collab", collab_terms=terms, **free)).json()["dealId"]
    accepted = await holder.moved("accept", merge)
    assert (accepted["status"], accepted["stage"]) == ("announced", "swap_window")
    assert accepted["migration_window_end"] == accepted["deadline"]
    accepted = await holder.moved("accept", collab)
    assert (accepted["status"], accepted["stage"]) == ("announced", "awaiting_launch")


async def test_a_rejection_closes_and_a_lapse_also_fails(market: Market) -> None:
    holder, offerer = await market.holder(), market.trader()
    rejected, lapsed = await offerer.offered(), await offerer.offered(offer_window_days=7)
    answer = await holder.ask("POST", f"/{rejected}/respond", {"action": "reject", "message": "Too low."})
    assert (answer.json()["status"], "deal" in answer.json()) == ("closed", False)
    assert (await offerer.read(rejected))["response_message"] == "Too low."
    assert told(market)[2:] == ["deal.rejected"]
    assert await market.run_clock(days=7, seconds=1) == 1
    deal = await offerer.read(lapsed)
    assert (deal["status"], deal["stage"], deal["actions"]) == ("closed", "closed", [])
    assert told(market)[3:] == ["deal.failed", "deal.failed"]
    for move in ("accept", "reject", "cancel"):
        by = offerer if move == "cancel" else holder
        answer = await by.move(move, rejected)
        assert (answer.status_code, answer.json()["code"]) == (400, INVALID_STATE)


async def test_an_offer_that_lapsed_cannot_be_accepted_before_the_worker_looks(market: Market) -> None:
    holder, offerer = await market.holder(), market.trader()
    id = await offerer.offered(offer_window_days=7)
    market.clock.advance(days=7, seconds=1)
    for move in ("accept", "reject"):
        assert (await holder.move(move, id)).json()["code"] == INVALID_STATE


async def test_only_the_parties_move_a_deal(market: Market) -> None:
    holder, offerer, stranger = await market.holder(), market.trader(), market.trader(usdc=0)
    id = await offerer.offered()
    assert statuses(
        await offerer.move("accept", id), await stranger.move("accept", id), await stranger.move("cancel", id),
        await holder.move("cancel", id), await stranger.move("reject", id, wallet_address=holder.address),
        await stranger.ask("GET", f"/{id}/funds"),
    ) == [403] * 6  # fmt: skip
    assert (await holder.moved("accept", id))["status"] == "announced"
    assert (await stranger.move("cancel", id)).status_code == 403
    assert (await holder.moved("cancel", id))["status"] == "cancelled"
    assert told(market)[2:] == ["deal.cancelled"] * 2
    for path in ("", "/events", "/funds"):
        answer = await holder.ask("GET", f"/01980000-0000-7000-8000-000000000000{path}")
        assert (answer.status_code, answer.json()["code"]) == (404, "VALIDATION_INVALID_INPUT")
        assert (await holder.ask("GET", f"/nonsense{path}")).status_code == 404


async def test_a_registration_that_changed_hands_takes_the_right_to_answer_along(market: Market) -> None:
    holder, offerer, heir = await market.holder(), market.trader(), market.trader(usdc=0)
    id = await offerer.offered()
    market.store.execute("UPDATE registration SET owner = %s", (heir.address.lower(),))
    assert (await holder.move("accept", id)).status_code == 403
    assert (await heir.moved("accept", id))["buyer_address"] == heir.address


async def test_a_deal_fails_with_its_registration(market: Market) -> None:
    holder, offerer = await market.holder(), market.trader()
    id = await offerer.offered()
    await holder.moved("accept", id)
    market.store.execute("UPDATE registration SET released_at = %s", (market.clock.now(),))
    assert await market.run_clock(minutes=30) == 0
    assert await market.run_clock(minutes=31) == 1
    deal = await offerer.read(id)
    assert (deal["status"], deal["stage"], "crown_holder" in deal) == ("failed", "closed", False)
    assert told(market)[2:] == ["deal.failed"] * 2


async def test_who_had_the_registration_at_its_end_hears_of_unanswered_offers(market: Market) -> None:
    holder, offerer = await market.holder(), market.trader()
    await offerer.offered()
    market.store.execute("UPDATE registration SET released_at = %s", (market.clock.now(),))
    assert await market.run_clock(minutes=61) == 1
    assert reached(market, "deal.failed") == {await holder.account_id(), await offerer.account_id()}


async def test_an_operator_stops_the_clock(market: Market) -> None:
    holder, offerer = await market.holder(), market.trader()
    id = await offerer.offered()
    before = (await holder.moved("accept", id))["deadline"]
    deal = await market.deals.answers.find(UUID(id))
    await market.deals.answers.pause(deal.id, resume=False)
    assert await market.run_clock(days=30) == 0
    paused = await offerer.read(id)
    assert (paused["status"], paused["stage"], paused["deadline"]) == ("paused", "announcement", before)
    await market.deals.answers.pause(deal.id, resume=True)
    assert await market.run_clock(days=6, hours=23) == 0
    assert await market.run_clock(hours=2) == 1


async def race(*moves: Any) -> list[httpx.Response]:
    return list(await asyncio.gather(*moves))


async def test_races_have_one_outcome(market: Market) -> None:
    """Each repeated, since which of the two wins is chance."""
    for turn in range(4):
        holder, offerer = await market.holder(f"RACE{turn}"), market.trader()
        id = await offerer.offered(f"RACE{turn}")
        await race(holder.headers(), offerer.headers())
        answers = await race(holder.move("accept", id), offerer.move("cancel", id), holder.move("reject", id))
        made = [answer.json()["deal"]["status"] for answer in answers if answer.status_code == 200]
        # What was accepted can still be cancelled: both may succeed, in that order.
        assert made in (["announced"], ["cancelled"], ["closed"], ["announced", "cancelled"])
        events = (await offerer.read(id))["events"]
        assert len(events) == 1 + len(made)
        assert {answer.json()["code"] for answer in answers if answer.status_code != 200} <= {INVALID_STATE}


async def test_of_two_acceptances_on_a_registration_one_is_made(market: Market) -> None:
    for turn in range(3):
        holder = await market.holder(f"TWO{turn}")
        first, second = market.trader(), market.trader()
        ids = [await first.offered(f"TWO{turn}"), await second.offered(f"TWO{turn}")]
        answers = await race(*(holder.move("accept", id) for id in ids))
        assert statuses(*answers) == [200, 409]
        assert {answer.json().get("code") for answer in answers} == {None, "DEAL_CONFLICT"}


async def test_a_rejection_and_a_lapse_at_once_leave_one_outcome(market: Market) -> None:
    for turn in range(3):
        holder, offerer = await market.holder(f"LATE{turn}"), market.trader()
        id = await offerer.offered(f"LATE{turn}", offer_window_days=7)
        await holder.headers()
        market.store.execute("UPDATE deal SET deadline = %s WHERE id = %s", (market.clock.now(), id))
        answer, moved = await asyncio.gather(holder.move("reject", id), market.deals.answers.run_clock())
        assert (answer.status_code == 200) is not bool(moved)
        assert len((await offerer.read(id))["events"]) == 2


async def grouped(market: Market, offerer: Trader, *symbols: str) -> tuple[str, list[str]]:
    await offerer.verify(50_000)
    offers = [
        {"deal_type": "buyout", "symbol": symbol, "chain_id": 8453, "agreed_amount": "25000", "agreed_currency": "USDC"}
        for symbol in symbols
    ]
    answer = await offerer.ask("POST", "/group", {"offers": offers})
    assert answer.status_code == 200, answer.text
    made = answer.json()
    return made["groupId"], [deal["id"] for deal in made["deals"]]


async def test_a_group_takes_effect_when_all_are_accepted(market: Market) -> None:
    one, two, offerer = await market.holder("ONE"), await market.holder("TWO"), market.trader()
    group, (first, second) = await grouped(market, offerer, "ONE", "TWO")
    assert (await one.moved("accept", first))["status"] == "pending"
    shown = (await market.outsider(f"/deals/group/{group}")).json()
    assert (shown["total"], shown["accepted"], shown["complete"]) == (2, 1, False)
    assert shown["pending"] == [{"deal_id": second, "symbol": "TWO", "chain_id": 8453, "status": "draft"}]
    assert (await two.moved("accept", second))["status"] == "announced"
    assert (await offerer.read(first))["status"] == "announced"
    shown = (await market.outsider(f"/deals/group/{group}")).json()
    assert (shown["accepted"], shown["complete"], shown["pending"]) == (2, True, [])


async def test_a_group_ends_with_the_first_of_its_offers_that_does(market: Market) -> None:
    one, two, offerer = await market.holder("ONE"), await market.holder("TWO"), market.trader()
    _, (first, second) = await grouped(market, offerer, "ONE", "TWO")
    await one.moved("accept", first)
    await two.moved("reject", second)
    deal = await offerer.read(first)
    assert (deal["status"], deal["failure_reason"]) == ("closed", "another offer of the group ended")
    assert (await market.outsider("/deals/group/01980000-0000-7000-8000-000000000000")).status_code == 404


@pytest.mark.parametrize("how", ["reject", "cancel", "lapse", "end of the registration"])
async def test_the_end_of_a_group_reaches_the_holders_who_have_not_answered(market: Market, how: str) -> None:
    one, two, offerer = await market.holder("ONE"), await market.holder("TWO"), market.trader()
    _, (first, second) = await grouped(market, offerer, "ONE", "TWO")
    if how in ("reject", "cancel"):
        await (offerer if how == "cancel" else one).moved(how, first)
    elif how == "lapse":
        assert await market.run_clock(days=31) == 1
    else:
        market.store.execute("UPDATE registration SET released_at = %s WHERE symbol = 'ONE'", (market.clock.now(),))
        assert await market.run_clock(minutes=61) == 1
    ended = [(await offerer.read(id))["stage"] for id in (first, second)]
    assert ended == ["closed", "closed"]
    accounts = reached(market, "deal.failed")
    assert {await two.account_id(), await offerer.account_id()} <= accounts
    assert (await one.account_id() in accounts) is (how in ("lapse", "end of the registration"))


async def test_simultaneous_acceptances_complete_a_group_once(market: Market) -> None:
    one, two, offerer = await market.holder("ONE"), await market.holder("TWO"), market.trader()
    _, (first, second) = await grouped(market, offerer, "ONE", "TWO")
    assert statuses(*await race(one.move("accept", first), two.move("accept", second))) == [200, 200]
    for id in (first, second):
        deal = await offerer.read(id)
        assert deal["status"] == "announced"
        assert [event["event_type"] for event in deal["events"]] == ["offer", "accept", "take_effect"]


async def test_the_offers_of_a_group_need_funds_for_their_sum(market: Market) -> None:
    await market.holder("ONE")
    await market.holder("TWO")
    offerer = market.trader()
    await offerer.verify(49_999)
    body = {"deal_type": "buyout", "chain_id": 8453, "agreed_amount": "25000", "agreed_currency": "USDC"}
    offers = [{**body, "symbol": symbol} for symbol in ("ONE", "TWO")]
    assert (await offerer.ask("POST", "/group", {"offers": offers})).status_code == 402
    wrong = await offerer.ask("POST", "/group", {"offers": [offers[0], {**offers[1], "agreed_amount": "x"}]})
    assert wrong.json()["error"].startswith("offers.1.agreed_amount")
