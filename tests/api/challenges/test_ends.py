"""The end of a registration whose challenge was upheld, on a real registry: announced once, and executed or stopped."""

from datetime import timedelta
from typing import Any

import pytest

from api.challenges.ends import EXPIRING, OBJECTED
from api.challenges.registries import announcement_nonce
from api.challenges.repository import ChallengeRepository
from indexer.contracts.registry import Reason
from tests.fixtures.challenges import TERMS, TOKEN_ID, Contest

NO_END = (0, 0, False, False)


async def uphold(contest: Contest) -> None:
    assert (await contest.open()).status_code == 200
    contest.pass_hour()
    await contest.work.run()


def state(contest: Contest) -> str:
    (row,) = contest.rows("state")
    return str(row["state"])


async def test_an_upheld_challenge_ends_the_registration(contest: Contest) -> None:
    await uphold(contest)
    assert contest.end_of() == NO_END
    await contest.work.run()
    assert contest.end_of()[0] == Reason.CHALLENGE
    (challenge,) = await contest.listed()
    assert (challenge["state"], challenge["endedAt"]) == ("upheld", None)
    assert challenge["announcementTransaction"].startswith("0x")
    contest.wait(TERMS.end_delay)
    await contest.work.run()
    (challenge,) = await contest.listed()
    assert challenge["executionTransaction"] is not None
    assert await contest.work.run() == []  # the index has not seen it yet
    contest.note_end()
    await contest.work.run()
    (challenge,) = await contest.listed()
    assert challenge["state"] == "ended"
    assert challenge["reservedUntil"] > challenge["endedAt"]


async def test_it_is_decided_announced_and_executed_after_the_grace_period(contest: Contest) -> None:
    assert (await contest.open()).status_code == 200
    contest.pass_hour()
    contest.chain.store.execute("UPDATE registration SET minted_at = minted_at - interval '60 days'")
    await contest.work.run()
    await contest.work.run()
    assert contest.end_of()[0] == Reason.CHALLENGE


async def test_anyone_may_execute_the_end(contest: Contest) -> None:
    await uphold(contest)
    await contest.work.run()
    contest.wait(TERMS.end_delay)
    assert contest.on_registry(contest.chain.wallet(), "executeEnd", TOKEN_ID)["status"] == "0x1"
    contest.note_end()
    await contest.work.run()
    assert state(contest) == "ended"


async def test_a_worker_killed_after_sending_does_not_announce_again(
    contest: Contest, monkeypatch: pytest.MonkeyPatch
) -> None:
    await uphold(contest)

    async def die(*arguments: Any, **named: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(ChallengeRepository, "note_transactions", die)
        with pytest.raises(KeyboardInterrupt):
            await contest.work.run()
    due_at = contest.end_of()[1]
    await contest.work.run()
    assert contest.end_of()[1] == due_at
    # The guardian stops it before the worker noted anything: it stays stopped.
    contest.on_registry(contest.guardian, "vetoEnd", TOKEN_ID)
    for _ in range(3):
        contest.wait()
        await contest.work.run()
    assert (state(contest), contest.end_of()) == ("stopped", NO_END)


async def test_a_veto_stops_the_end_and_tells_the_challenger(contest: Contest) -> None:
    await uphold(contest)
    await contest.work.run()
    contest.on_registry(contest.guardian, "vetoEnd", TOKEN_ID)
    await contest.work.run()
    assert state(contest) == "upheld"  # the veto is not final yet
    contest.wait(1)
    await contest.work.run()
    assert state(contest) == "stopped"
    outcomes = [event["payload"]["outcome"] for event in contest.events() if event["type"] == "challenge.decided"]
    assert outcomes == ["upheld", "stopped"]
    status = (await contest.service.get("/registration/LUMEN/base")).json()
    assert status["tokenId"] == TOKEN_ID


async def test_an_objection_asks_the_operator_until_the_guardian_confirms(contest: Contest) -> None:
    await uphold(contest)
    await contest.work.run()
    contest.on_registry(contest.holder, "objectToEnd", TOKEN_ID)
    contest.wait(TERMS.end_delay + TERMS.objection_delay)
    (problem,) = await contest.work.run()
    assert problem.summary == OBJECTED
    contest.on_registry(contest.guardian, "confirmEnd", TOKEN_ID)
    assert await contest.work.run() == []
    (challenge,) = await contest.listed()
    assert challenge["executionTransaction"] is not None


async def test_without_a_payer_operators_are_told_and_nothing_is_lost(
    contest: Contest, monkeypatch: pytest.MonkeyPatch
) -> None:
    await uphold(contest)
    with monkeypatch.context() as patched:
        patched.delenv("REGALIA_PRIVATE_KEY")
        contest.service.services.__dict__.pop("payer", None)
        (problem,) = await contest.work.run()
    assert "REGALIA_PRIVATE_KEY" in problem.summary
    assert (state(contest), contest.end_of()) == ("upheld", NO_END)
    assert await contest.work.run() == []
    assert contest.end_of()[0] == Reason.CHALLENGE


async def test_an_owner_who_releases_first_ends_it_too(contest: Contest) -> None:
    await uphold(contest)
    contest.chain.store.execute("UPDATE registration SET released_at = %s", (contest.now - timedelta(hours=1),))
    await contest.work.run()
    assert state(contest) == "ended"


async def test_every_announcement_has_a_nonce_of_its_own(contest: Contest) -> None:
    await uphold(contest)
    (challenge,) = await ChallengeRepository(contest.service.services.store).at_work()
    first = announcement_nonce(challenge)
    assert first < 2**256
    contest.chain.store.execute("UPDATE registration_challenge SET announcements = 1")
    (challenge,) = await ChallengeRepository(contest.service.services.store).at_work()
    assert announcement_nonce(challenge) != first


async def test_an_end_for_inactivity_is_neither_executed_nor_taken_back(contest: Contest) -> None:
    """It is `regalia expire` that goes on with it, by the heartbeat of the day."""
    await uphold(contest)
    contest.announce(Reason.INACTIVE)
    contest.wait(TERMS.end_delay)
    (problem,) = await contest.work.run()
    assert problem.summary == EXPIRING
    assert contest.end_of()[0] == Reason.INACTIVE
    contest.chain.store.execute("UPDATE registration_challenge SET state = 'withdrawing'")
    for _ in range(3):
        contest.wait(1)
        await contest.work.run()
    assert state(contest) == "rejected"
    assert contest.end_of()[0] == Reason.INACTIVE
