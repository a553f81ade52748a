"""Who may open a challenge, of what, and when; nobody else learns of it."""

import asyncio
from datetime import timedelta
from typing import Any

import httpx
import pytest

from api.accounts.service import Accounts
from tests.fixtures.challenges import TOKEN_ID, Contest
from tests.fixtures.claims import sign


@pytest.fixture
async def stranger(contest: Contest, store_url: str) -> Any:
    """A client with the key of another account."""
    key = Accounts(store_url).create_key("0x" + "5a" * 20, "free").key
    transport = httpx.ASGITransport(contest.service.app)
    async with httpx.AsyncClient(transport=transport, base_url="http://service.test", headers={"X-API-Key": key}) as it:
        yield it


async def test_the_owner_of_the_original_opens_a_challenge(contest: Contest) -> None:
    answer = await contest.open()
    assert answer.status_code == 200, answer.text
    made = answer.json()
    assert (made["state"], made["verificationMethod"], made["tokenId"]) == ("open", "owner", TOKEN_ID)
    assert (made["decidedAt"], made["evidence"], made["reservedUntil"]) == (None, None, None)
    assert [one["id"] for one in await contest.listed()] == [made["id"]]


async def test_the_symbol_names_the_registration_too(contest: Contest) -> None:
    answer = await contest.open(name="lumen")
    assert answer.status_code == 200
    assert answer.json()["tokenId"] == TOKEN_ID


async def test_the_same_request_again_finds_the_first(contest: Contest) -> None:
    first, again = await contest.open(), await contest.open()
    assert (first.status_code, again.status_code) == (200, 200)
    assert first.json() == again.json()
    assert len(contest.rows()) == 1


async def test_nothing_is_visible_before_it_is_upheld(contest: Contest, stranger: httpx.AsyncClient) -> None:
    reads = ["/registration/LUMEN/base", f"/registration/{TOKEN_ID}?chain=base", f"/registration/{TOKEN_ID}/history"]
    before = [(await stranger.get(f"/api/v2{path}")).content for path in reads]
    assert (await contest.open()).status_code == 200
    assert [(await stranger.get(f"/api/v2{path}")).content for path in reads] == before
    assert await contest.listed(stranger) == []
    assert contest.events() == []


async def test_a_challenge_of_another_account_with_the_same_token_is_a_duplicate(
    contest: Contest, stranger: httpx.AsyncClient
) -> None:
    assert (await contest.open()).status_code == 200
    second = await contest.open(client=stranger)
    assert (second.status_code, second.json()["code"]) == (409, "CHALLENGE_DUPLICATE")


async def test_one_challenge_of_a_registration_is_at_work(contest: Contest) -> None:
    token, wallet = contest.rival("50000")
    assert (await contest.open()).status_code == 200
    second = await contest.open(token, wallet)
    assert (second.status_code, second.json()["code"]) == (409, "CHALLENGE_PENDING")


async def test_of_two_challenges_at_once_one_is_opened(contest: Contest) -> None:
    token, wallet = contest.rival("50000")
    answers = await asyncio.gather(contest.open(), contest.open(token, wallet), contest.open())
    assert {answer.status_code for answer in answers} == {200, 409}
    assert {answer.json()["code"] for answer in answers if answer.status_code == 409} == {"CHALLENGE_PENDING"}
    assert len(contest.rows()) == 1


async def test_refused_challenges_leave_no_trace_however_many(contest: Contest) -> None:
    weak, wallet = contest.rival("9000")
    answers = [await contest.open(weak, wallet) for _ in range(5)]
    assert {answer.status_code for answer in answers} == {422}
    assert (contest.rows(), contest.events()) == ([], [])
    assert (await contest.open()).status_code == 200


@pytest.mark.parametrize(("days", "status"), [(29.9, 200), (30.1, 409)])
async def test_a_challenge_is_opened_within_the_grace_period(contest: Contest, days: float, status: int) -> None:
    # The same figures at any hour of the mint.
    contest.chain.store.execute("UPDATE registration SET minted_at = %s", (contest.now - timedelta(days=days),))
    for hours in range(48):
        contest.weigh(contest.original, contest.hour - timedelta(days=30) + timedelta(hours=hours - 20), "64000")
    answer = await contest.open()
    assert answer.status_code == status, answer.text
    if status == 409:
        assert answer.json()["code"] == "CHALLENGE_CLOSED"


@pytest.mark.parametrize(("weight", "at_mint"), [("9999.99", "64000"), ("64000", "9999.99")])
async def test_a_challenger_must_be_established_at_both_hours(contest: Contest, weight: str, at_mint: str) -> None:
    contest.weigh(contest.original, contest.hour, weight)
    contest.weigh(contest.original, contest.mint_hour, at_mint)
    answer = await contest.open()
    assert (answer.status_code, answer.json()["check"]) == (422, "not_established")
    figures = answer.json()["evidence"]
    assert figures["atMint"]["challenger"]["isEstablished"] == (at_mint == "64000")
    assert contest.rows() == []


async def test_a_token_that_became_established_only_after_the_mint_is_refused(contest: Contest) -> None:
    late, wallet = contest.rival("90000", since=contest.now - timedelta(days=40))
    contest.weigh(late, contest.mint_hour, "0", established="0", since=contest.now - timedelta(days=40))
    answer = await contest.open(late, wallet)
    assert (answer.status_code, answer.json()["check"]) == (422, "not_established")
    assert "at the mint" in answer.json()["error"]


@pytest.mark.parametrize(("days", "check"), [(1.5, "not_established"), (3, None), (1_000, None)])
async def test_depth_under_another_name_gives_no_right_to_the_symbol(
    contest: Contest, days: float, check: str | None
) -> None:
    """The mint was two days ago; the challenger bears the symbol since so many days."""
    contest.chain.store.execute(
        "UPDATE indexed_token SET named_at = %s WHERE address = %s",
        (contest.now - timedelta(days=days), contest.original),
    )
    assert (await contest.open()).json().get("check") == check


async def test_a_token_named_after_the_registered_one_had_a_market_is_junior(contest: Contest) -> None:
    contest.weigh(contest.copy, contest.mint_hour, "1200.25", since=contest.now - timedelta(days=9))
    contest.chain.store.execute(
        "UPDATE indexed_token SET named_at = %s WHERE address = %s", (contest.now - timedelta(days=5), contest.original)
    )
    assert (await contest.open()).json()["check"] == "not_senior"


async def test_a_challenger_that_the_index_knows_by_another_symbol_waits(contest: Contest) -> None:
    contest.chain.store.execute("UPDATE indexed_token SET symbol_key = 'ZZZ' WHERE address = %s", (contest.original,))
    answer = await contest.open()
    assert (answer.status_code, answer.json()["code"]) == (503, "TOKEN_UNVERIFIED")


async def test_a_junior_token_cannot_challenge_whatever_it_weighs(contest: Contest) -> None:
    contest.weigh(contest.copy, contest.mint_hour, "1", since=contest.now - timedelta(days=90))
    contest.weigh(contest.copy, contest.hour, "1", since=contest.now - timedelta(days=90))
    whale, wallet = contest.rival("5000000", since=contest.now - timedelta(days=60))
    answer = await contest.open(whale, wallet)
    assert (answer.status_code, answer.json()["check"]) == (422, "not_senior")


@pytest.mark.parametrize(("held", "check"), [("31999", None), ("128001", "outweighed")])
async def test_a_registered_token_of_twice_the_weight_is_no_copy(
    contest: Contest, held: str, check: str | None
) -> None:
    contest.weigh(contest.copy, contest.mint_hour, held, since=contest.now - timedelta(days=10))
    answer = await contest.open()
    assert answer.json().get("check") == check


async def test_a_challenger_that_sold_its_pool_weighs_nothing(contest: Contest) -> None:
    contest.weigh(contest.original, contest.hour, "0", established="64000")
    contest.weigh(contest.copy, contest.hour, "0")
    answer = await contest.open()
    assert (answer.status_code, answer.json()["check"]) == (422, "outweighed")


async def test_the_holder_cannot_challenge_itself(contest: Contest) -> None:
    own = await contest.open(contest.copy, contest.holder)
    assert (own.status_code, own.json()["check"]) == (422, "same_token")
    second = contest.chain.deploy(contest.holder, "OwnedToken", "L", "LUMEN", 18, 1, contest.holder.address)
    own = await contest.open(second, contest.holder)
    assert (own.status_code, own.json()["check"]) == (422, "own_registration")


async def test_a_token_that_reads_otherwise_cannot_challenge(contest: Contest) -> None:
    token, wallet = contest.rival("64000", symbol="LUMENS")
    answer = await contest.open(token, wallet)
    assert (answer.status_code, answer.json()["check"]) == (422, "other_symbol")
    look_alike, wallet = contest.rival("64000", symbol="LUM\u0415N")
    assert (await contest.open(look_alike, wallet)).status_code == 200


async def test_most_of_the_supply_opens_no_challenge(contest: Contest) -> None:
    whale = contest.chain.wallet()
    token = contest.chain.token(contest.chain.wallet(), "LUMEN", holder=whale.address)
    contest.chain.index()
    answer = await contest.open(token, whale)
    assert (answer.status_code, answer.json()["code"]) == (403, "CHALLENGE_UNAUTHORIZED")


async def test_a_wrong_signature_opens_nothing(contest: Contest) -> None:
    by_another = await contest.open(key=contest.chain.wallet())
    of_another = await contest.open(tokenAddress="0x" + "77" * 20)
    assert [one.json()["code"] for one in (by_another, of_another)] == ["CHALLENGE_UNAUTHORIZED"] * 2
    assert contest.rows() == []


async def test_a_signature_counts_for_the_mint_it_names(contest: Contest) -> None:
    message = await contest.message(contest.original, contest.wallet)
    assert contest.mint_transaction in message["message"]
    contest.chain.store.execute("UPDATE registration SET transaction_hash = %s", ("0x" + "cc" * 32,))
    answer = await contest.open(timestamp=message["timestamp"], signature=sign(contest.wallet, message["message"]))
    assert answer.json()["code"] == "CHALLENGE_UNAUTHORIZED"


async def test_a_migration_with_the_seniors_consent_is_not_challenged(contest: Contest) -> None:
    contest.chain.store.execute(
        "INSERT INTO copy_migration_consent VALUES (8453, %s, %s, %s, 'owner', now())",
        (contest.original, contest.copy, contest.wallet.address.lower()),
    )
    answer = await contest.open()
    assert (answer.status_code, answer.json()["check"]) == (422, "migration")


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE copy_progress SET as_of_time = now() - interval '11 minutes'",
        "DELETE FROM copy_progress",
        "UPDATE copy_progress SET weighed_through = NULL",
        "DELETE FROM indexed_token",
    ],
)
async def test_an_index_that_lags_is_no_refusal(contest: Contest, change: str) -> None:
    contest.chain.node.rpc("anvil_mine", "0x1")
    contest.chain.store.execute(change)
    answer = await contest.open()
    assert (answer.status_code, answer.json()["code"]) == (503, "TOKEN_UNVERIFIED")
    assert int(answer.headers["retry-after"]) > 0


async def test_a_registration_that_ended_is_not_challenged(contest: Contest) -> None:
    message = await contest.message(contest.original, contest.wallet)
    contest.chain.store.execute("UPDATE registration SET released_at = now()")
    body = {
        "tokenAddress": contest.original,
        "walletAddress": contest.wallet.address,
        "signature": sign(contest.wallet, message["message"]),
        "timestamp": message["timestamp"],
    }
    answer = await contest.service.post(f"/registration/{TOKEN_ID}/challenge?chain=base", body)
    assert answer.status_code == 404


async def test_the_chain_is_required_and_named(contest: Contest) -> None:
    body = {"tokenAddress": contest.original, "walletAddress": contest.wallet.address}
    missing = await contest.service.post(f"/registration/{TOKEN_ID}/challenge/message", body)
    unknown = await contest.service.post(f"/registration/{TOKEN_ID}/challenge/message?chain=nowhere", body)
    assert [one.status_code for one in (missing, unknown)] == [400, 400]
    assert all("chain" in one.json()["error"] for one in (missing, unknown))
