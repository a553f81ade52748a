"""The worker decides challenges by two fixed hours, once, whenever it looks and however often it is killed."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from api.challenges.outcomes import Outcomes
from api.challenges.repository import ChallengeRepository
from api.store.jobs import open_queue
from api.worker import work
from tests.fixtures.challenges import TOKEN_ID, Contest


def states(contest: Contest) -> list[str]:
    return [row["state"] for row in contest.rows("state")]


async def open_and_wait(contest: Contest) -> None:
    assert (await contest.open()).status_code == 200
    contest.pass_hour()


async def test_an_upheld_challenge_says_why_in_public_history_and_events(contest: Contest) -> None:
    await open_and_wait(contest)
    assert await contest.work.run() == []
    (challenge,) = await contest.listed()
    assert (challenge["state"], challenge["decidedBy"]) == ("upheld", "rules")
    assert challenge["evidence"]["atMint"]["challenger"]["weightUsd"] == "64000.5"
    assert challenge["evidence"]["atOpening"]["registered"]["weightUsd"] == "1200.25"
    upheld, decided = contest.events()
    assert (upheld["type"], upheld["token_id"], upheld["account_id"]) == ("token.challenge_upheld", TOKEN_ID, None)
    assert upheld["payload"]["explanation"] == challenge["explanation"]
    assert (decided["type"], decided["payload"]["outcome"]) == ("challenge.decided", "upheld")
    assert decided["account_id"] is not None
    history = (await contest.service.get(f"/registration/{TOKEN_ID}/history")).json()
    assert [entry["type"] for entry in history["entries"]] == ["token.challenge_upheld"]
    assert "64000 USD at the mint" in history["entries"][0]["data"]["explanation"]


async def test_a_challenge_waits_for_the_end_of_its_hour(contest: Contest) -> None:
    assert (await contest.open()).status_code == 200
    await contest.work.run()
    assert states(contest) == ["open"]  # its hour is not over on the chain
    contest.pass_hour()
    contest.publish_progress(weighed_through=contest.hour)
    await contest.work.run()
    assert states(contest) == ["open"]  # its hour is not weighed
    contest.publish_progress()
    await contest.work.run()
    assert states(contest) == ["upheld"]


async def test_a_challenge_is_decided_after_the_grace_period_has_ended(contest: Contest) -> None:
    await open_and_wait(contest)
    contest.chain.store.execute("UPDATE registration SET minted_at = minted_at - interval '60 days'")
    await contest.work.run()
    assert states(contest) == ["upheld"]


async def test_a_pool_sold_within_the_hour_rejects_the_challenge_quietly(contest: Contest) -> None:
    await open_and_wait(contest)
    contest.weigh(contest.original, contest.hour, "0", established="64000")
    await contest.work.run()
    (challenge,) = await contest.listed()
    assert (challenge["state"], challenge["decidedBy"]) == ("rejected", "rules")
    (told,) = contest.events()
    assert (told["type"], told["payload"]["outcome"]) == ("challenge.decided", "rejected")
    history = (await contest.service.get(f"/registration/{TOKEN_ID}/history")).json()
    assert history["entries"] == []
    again = await contest.open()
    assert (again.status_code, again.json()["code"]) == (409, "CHALLENGE_DUPLICATE")


async def test_after_a_rejection_another_token_may_challenge(contest: Contest) -> None:
    token, wallet = contest.rival("50000")
    await open_and_wait(contest)
    contest.weigh(contest.original, contest.hour, "1")
    await contest.work.run()
    assert (await contest.open(token, wallet)).status_code == 200


async def test_what_happens_after_its_hour_changes_nothing(contest: Contest) -> None:
    await open_and_wait(contest)
    later = contest.hour + timedelta(hours=1)
    contest.weigh(contest.copy, later, "9000000", since=contest.now - timedelta(days=400))
    contest.weigh(contest.original, later, "0")
    contest.publish_progress(weighed_through=later + timedelta(hours=1))
    await contest.work.run()
    assert states(contest) == ["upheld"]


async def test_deciding_again_and_at_once_decides_once(contest: Contest) -> None:
    await open_and_wait(contest)
    await asyncio.gather(*(contest.work.run() for _ in range(3)))
    await contest.work.run()
    assert states(contest) == ["upheld"]
    assert len(contest.events()) == 2


async def test_a_decision_that_dies_before_its_commit_is_made_again(
    contest: Contest, monkeypatch: pytest.MonkeyPatch
) -> None:
    await open_and_wait(contest)

    async def die(*arguments: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("api.challenges.outcomes.record", die)
        with pytest.raises(KeyboardInterrupt):
            await contest.work.run()
    assert (states(contest), contest.events()) == (["open"], [])
    await contest.work.run()
    assert (states(contest), len(contest.events())) == (["upheld"], 2)


async def test_a_mint_from_before_the_index_waits_for_an_operator(contest: Contest) -> None:
    contest.publish_progress(history_from=contest.mint_hour + timedelta(hours=1))
    await open_and_wait(contest)
    (problem,) = await contest.work.run()
    assert "does not reach back" in problem.summary
    assert states(contest) == ["undecided"]
    assert contest.events() == []
    assert len(await contest.work.run()) == 1  # operators hear of it until it is decided


async def test_an_unknown_depth_of_the_registered_token_is_no_verdict(contest: Contest) -> None:
    contest.chain.store.execute(
        "UPDATE indexed_token SET copy_unknown = 'depth_unknown' WHERE address = %s", (contest.copy,)
    )
    await open_and_wait(contest)
    await contest.work.run()
    assert states(contest) == ["undecided"]


async def test_depth_under_another_symbol_makes_no_challenger_senior(contest: Contest) -> None:
    """A token that has long had a market renames itself to the victim's symbol and challenges."""
    await open_and_wait(contest)
    contest.chain.store.execute(
        "UPDATE indexed_token SET named_at = %s WHERE address = %s", (contest.hour, contest.original)
    )
    await contest.work.run()
    assert states(contest) == ["rejected"]


async def test_a_registration_that_ends_first_makes_it_void(contest: Contest) -> None:
    await open_and_wait(contest)
    contest.chain.store.execute("UPDATE registration SET released_at = %s", (contest.now - timedelta(hours=9),))
    await contest.work.run()
    assert states(contest) == ["void"]
    assert [event["payload"]["outcome"] for event in contest.events()] == ["void"]


async def test_another_mint_under_the_same_id_is_not_challenged(contest: Contest) -> None:
    await open_and_wait(contest)
    contest.chain.store.execute("UPDATE registration SET transaction_hash = %s", ("0x" + "cc" * 32,))
    await contest.work.run()
    assert states(contest) == ["void"]
    assert (await contest.open()).status_code == 200  # the new mint, by the same token


async def test_a_mint_that_a_reorganisation_removed_may_come_back(contest: Contest) -> None:
    await open_and_wait(contest)
    contest.publish_progress(as_of_time=contest.hour - timedelta(hours=1))
    contest.chain.store.execute("DELETE FROM registration")
    await contest.work.run()
    assert states(contest) == ["open"]
    contest.publish_progress()
    await contest.work.run()
    assert states(contest) == ["void"]


async def test_an_outcome_needs_the_state_it_was_decided_in(contest: Contest) -> None:
    await open_and_wait(contest)
    repository = ChallengeRepository(contest.service.services.store)
    (found,) = await repository.at_work()
    chain = contest.service.services.chains.by_key["base"]
    outcomes = Outcomes(repository)
    assert await outcomes.uphold(found, chain, reason="First.", now=contest.now)
    assert not await outcomes.reject(found, chain, reason="Second.", now=contest.now)
    assert not await outcomes.end(replace(found, state="open"), contest.now)
    assert states(contest) == ["upheld"]
    assert len(contest.events()) == 2


async def test_the_worker_runs_the_task_and_tells_operators(contest: Contest) -> None:
    contest.publish_progress(history_from=contest.mint_hour + timedelta(hours=1))
    await open_and_wait(contest)
    services = contest.service.services
    async with open_queue(services.urls.database_url) as app:
        await app.configure_task("upkeep.challenges").defer_async(timestamp=0)
    await work(
        services.settings.model_copy(update={"database_url": services.urls.database_url}),
        wait=False,
    )
    row = contest.chain.store.execute("SELECT kind, subject, severity FROM operator_alert").fetchone()
    (challenge,) = contest.rows()
    assert row == {"kind": "challenge_waits", "subject": str(challenge["id"]), "severity": "warning"}
