"""What an operator decides, with a public reason: challenges that rules cannot decide, and copy verdicts by hand."""

import asyncio
import json
from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from api.challenges.deciding import Deciding, DecisionError
from api.challenges.repository import ChallengeRepository
from api.ops.commands import challenges as commands
from indexer.contracts.registry import Reason
from tests.fixtures.challenges import TOKEN_ID, Contest
from tests.fixtures.claims import Claimer

WHY = "The team has shown the deployment of both tokens."


@pytest.fixture
def deciding(contest: Contest) -> Deciding:
    services = contest.service.services
    return Deciding(ChallengeRepository(services.store), services.chains)


async def undecided(contest: Contest) -> UUID:
    contest.publish_progress(history_from=contest.mint_hour + timedelta(hours=1))
    assert (await contest.open()).status_code == 200
    contest.pass_hour()
    await contest.work.run()
    (row,) = contest.rows()
    assert row["state"] == "undecided"
    return UUID(str(row["id"]))


async def history(contest: Contest) -> list[tuple[str, str]]:
    answer = (await contest.service.get(f"/registration/{TOKEN_ID}/history")).json()
    return [(entry["type"], entry["data"]["explanation"]) for entry in answer["entries"]]


async def test_an_operator_upholds_what_rules_cannot_decide(contest: Contest, deciding: Deciding) -> None:
    made = await deciding.uphold(await undecided(contest), WHY, contest.now)
    assert (made.state, made.decided_by) == ("upheld", "operator")
    assert await history(contest) == [("token.challenge_upheld", WHY)]
    await contest.work.run()
    assert contest.end_of()[0] == Reason.CHALLENGE


async def test_an_operator_rejects_it_and_the_reason_is_public(contest: Contest, deciding: Deciding) -> None:
    made = await deciding.reject(await undecided(contest), WHY, contest.now)
    assert (made.state, made.decided_by) == ("rejected", "operator")
    assert await history(contest) == [("token.challenge_rejected", WHY)]
    assert await contest.work.run() == []


async def test_rejecting_an_upheld_one_takes_the_announcement_back(contest: Contest, deciding: Deciding) -> None:
    id = await undecided(contest)
    await deciding.uphold(id, WHY, contest.now)
    await contest.work.run()
    assert (await deciding.reject(id, "The owner showed otherwise.", contest.now)).state == "withdrawing"
    for _ in range(3):
        await contest.work.run()
        contest.wait(1)
    await contest.work.run()
    assert contest.end_of() == (0, 0, False, False)
    assert [row["state"] for row in contest.rows()] == ["rejected"]


async def test_a_stopped_end_is_announced_anew_for_the_operator(contest: Contest, deciding: Deciding) -> None:
    id = await undecided(contest)
    await deciding.uphold(id, WHY, contest.now)
    await contest.work.run()
    contest.on_registry(contest.guardian, "vetoEnd", TOKEN_ID)
    for _ in range(2):
        await contest.work.run()
        contest.wait(1)
    await contest.work.run()
    assert [row["state"] for row in contest.rows()] == ["stopped"]
    await deciding.uphold(id, "The veto was a mistake.", contest.now)
    await contest.work.run()
    assert contest.end_of()[0] == Reason.CHALLENGE
    assert [reason for _, reason in await history(contest)] == [WHY, "The veto was a mistake."]


async def test_a_stopped_one_waits_for_the_challenge_at_work(contest: Contest, deciding: Deciding) -> None:
    id = await undecided(contest)
    contest.chain.store.execute("UPDATE registration_challenge SET state = 'stopped'")
    token, wallet = contest.rival("50000")
    assert (await contest.open(token, wallet)).status_code == 200
    with pytest.raises(DecisionError, match="at work"):
        await deciding.uphold(id, WHY, contest.now)


async def test_what_is_decided_stays_decided(contest: Contest, deciding: Deciding) -> None:
    id = await undecided(contest)
    await deciding.reject(id, WHY, contest.now)
    for again in (deciding.reject, deciding.uphold):
        with pytest.raises(DecisionError, match="is rejected"):
            await again(id, WHY, contest.now)
    with pytest.raises(DecisionError, match="there is no challenge"):
        await deciding.uphold(uuid4(), WHY, contest.now)


async def test_a_verdict_by_hand_decides_a_claim_until_it_is_withdrawn(contest: Contest, deciding: Deciding) -> None:
    wallet = contest.chain.wallet()
    token = contest.chain.token(wallet, "MURKY")
    contest.chain.publish_token(token, "MURKY", copy_unknown="depth_unknown")
    chain = contest.service.services.chains.by_key["base"]

    async def code() -> str:
        built = await Claimer(contest.service, "MURKY", token, wallet.address).build("0x" + "00" * 32)
        return str(built.json()["code"])

    assert await code() == "TOKEN_UNVERIFIED"
    await deciding.rule(chain, token, WHY, None)
    assert await code() == "CLAIM_UNAUTHORIZED"
    await deciding.rule(chain, token, WHY, contest.original)
    assert await code() == "TOKEN_NOT_REGISTRABLE"
    await deciding.withdraw_ruling(chain, token)
    assert await code() == "TOKEN_UNVERIFIED"
    with pytest.raises(DecisionError):
        await deciding.withdraw_ruling(chain, token)
    with pytest.raises(DecisionError):
        await deciding.rule(chain, token, WHY, token)
    waiting = contest.chain.store.execute("SELECT token_address FROM presented_change").fetchall()
    assert [row["token_address"] for row in waiting].count(token) == 3  # its document is made again each time


async def test_the_commands(
    contest: Contest, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    services = contest.service.services
    for name, value in (
        ("DATA_DIR", services.settings.data_dir),
        ("DATABASE_URL", services.urls.database_url),
        ("CLICKHOUSE_URL", services.urls.clickhouse_url),
        ("CHAINS", contest.chain.chains_path),
    ):
        monkeypatch.setenv(f"REGALIA_{name}", str(value))
    id = await undecided(contest)
    await asyncio.to_thread(commands.list_challenges, "undecided")
    assert json.loads(capsys.readouterr().out)["id"] == str(id)
    await asyncio.to_thread(commands.decide, str(id), True, WHY)
    assert json.loads(capsys.readouterr().out)["state"] == "upheld"
    await asyncio.to_thread(commands.rule, f"base:{contest.copy}", contest.original, WHY, False)
    assert json.loads(capsys.readouterr().out)["verdict"]["isCopy"] is True
    for wrong in ((str(id), True, " "), ("7", True, WHY)):
        with pytest.raises(DecisionError):
            await asyncio.to_thread(commands.decide, *wrong)
    with pytest.raises(DecisionError):
        await asyncio.to_thread(commands.rule, "nowhere:" + contest.copy, None, WHY, False)
