"""The end of a registration on Solana whose challenge was upheld, on a real node."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from api.challenges.ends import EXPIRING, OBJECTED
from api.challenges.repository import ChallengeRepository
from api.challenges.solana_registry import announcement_nonce
from api.challenges.tasks import challenge_work
from api.challenges.work import Problem
from indexer.contracts.solana.payer import PAYER_NAME
from indexer.contracts.solana.program import CHALLENGE_UPHELD, INACTIVE, PendingEnd
from indexer.contracts.solana.signer import ENVIRONMENT_NAME
from tests.factories.registrations import add_registration
from tests.fixtures.service import Serve, Service
from tests.fixtures.solana_node_registry import END_DELAY, OBJECTION_DELAY, NodeRegistry
from warehouse.postgres import Connection

pytestmark = pytest.mark.slow

SOLANA, SYMBOL = 900900, "LUMEN"


@dataclass
class Case:
    """LUMEN is registered, and a challenge of it is upheld."""

    registry: NodeRegistry
    service: Service
    store: Connection

    async def work(self) -> list[Problem]:
        return await challenge_work(self.service.services).run()

    @property
    def end(self) -> PendingEnd | None:
        crown = self.registry.crown(SYMBOL)
        return None if crown is None else crown.end

    def read(self, column: str) -> Any:
        (row,) = self.store.execute("SELECT * FROM registration_challenge").fetchall()
        return row[column]

    async def pass_time(self, seconds: int) -> None:
        """Let the chain's time pass, and make what happened final."""
        moment, head = self.registry.time + seconds, self.registry.node.slot()

        # In this thread, whose connection to the node is closed with the node.
        while self.registry.time < moment or self.registry.node.slot("finalized") < head:  # noqa: ASYNC110
            await asyncio.sleep(0.1)


@pytest.fixture
async def case(
    node_registry: NodeRegistry, serve: Serve, store: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Case]:
    monkeypatch.setenv(ENVIRONMENT_NAME, str(node_registry.signer))
    monkeypatch.setenv(PAYER_NAME, str(node_registry.stranger))
    transaction, now = node_registry.claim(SYMBOL), datetime.now(UTC)
    async with serve(chains=node_registry.chains_file(tmp_path / "chains.toml")) as service:
        add_registration(
            store, SYMBOL, chain_id=SOLANA, transaction_hash=transaction, registry=str(node_registry.program),
            owner=str(node_registry.owner.pubkey()), token_address=str(node_registry.mint),
            minted_at=now - timedelta(days=2),
        )  # fmt: skip
        store.execute(
            "INSERT INTO registration_challenge (chain_id, token_id, mint_transaction, symbol, symbol_folded,"
            " registered_token, minted_at, challenger_token, challenger_wallet, verification_method, account_id,"
            " opened_at, decide_at, state, decided_at, decided_by, reason) SELECT %s, 1, %s, %s, %s, %s, %s, %s, %s,"
            " 'deployer', id, %s, %s, 'upheld', %s, 'rules', 'It copies another.' FROM account LIMIT 1",
            (
                SOLANA, transaction, SYMBOL, SYMBOL.lower(), str(node_registry.mint), now - timedelta(days=2),
                str(node_registry.new_mint()), str(node_registry.stranger.pubkey()), now, now, now,
            ),
        )  # fmt: skip
        yield Case(node_registry, service, store)


async def test_an_upheld_challenge_ends_the_registration(case: Case) -> None:
    assert await case.work() == []
    assert case.end is not None
    assert (case.end.reason, case.read("announced_transaction") is not None) == (CHALLENGE_UPHELD, True)
    announced = case.read("announced_transaction")
    assert await case.work() == []
    assert case.read("announced_transaction") == announced, "it is announced once"
    await case.pass_time(END_DELAY)
    assert await case.work() == []
    assert case.registry.crown(SYMBOL) is None
    assert case.read("execution_transaction") is not None
    assert await case.work() == []  # the index has not seen it yet
    case.store.execute("UPDATE registration SET expired_at = now() - interval '1 hour'")
    await case.work()
    assert case.read("state") == "ended"


async def test_a_worker_killed_after_sending_does_not_announce_again(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def die(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(ChallengeRepository, "note_transactions", die)
        with pytest.raises(KeyboardInterrupt):
            await case.work()
    assert case.end is not None
    # The guardian stops it before the worker noted anything: it stays stopped.
    case.registry.of_crown("veto_end", SYMBOL, case.registry.guardian)
    for _ in range(2):
        await case.work()
        await case.pass_time(1)
    await case.work()
    assert (case.read("state"), case.end) == ("stopped", None)


async def test_a_suspended_signer_stops_it_and_an_operator_may_announce_it_anew(case: Case) -> None:
    await case.work()
    (before,) = await ChallengeRepository(case.service.services.store).at_work()
    case.registry.govern("suspend_signer")
    await case.work()
    assert case.read("stop_seen_at") is not None
    case.store.execute("UPDATE registration_challenge SET announcements = 1, stop_seen_at = NULL")
    (again,) = await ChallengeRepository(case.service.services.store).at_work()
    assert announcement_nonce(again) > announcement_nonce(before)
    (problem,) = await case.work()
    assert "SignerSuspended" in problem.summary


async def test_an_objection_asks_the_operator_until_the_guardian_confirms(case: Case) -> None:
    await case.work()
    case.registry.of_crown("object_to_end", SYMBOL, case.registry.owner)
    await case.pass_time(END_DELAY + OBJECTION_DELAY)
    (problem,) = await case.work()
    assert problem.summary == OBJECTED
    case.registry.of_crown("confirm_end", SYMBOL, case.registry.guardian)
    assert await case.work() == []
    assert case.registry.crown(SYMBOL) is None


async def test_a_rejected_challenges_announcement_is_taken_back(case: Case) -> None:
    await case.work()
    case.store.execute("UPDATE registration_challenge SET state = 'withdrawing'")
    await case.work()
    assert case.end is None
    for _ in range(2):
        await case.work()
        await case.pass_time(1)
    await case.work()
    assert case.read("state") == "rejected"


async def test_an_end_for_inactivity_is_neither_executed_nor_taken_back(case: Case) -> None:
    case.registry.announce_end(SYMBOL, INACTIVE)
    await case.pass_time(END_DELAY)
    (problem,) = await case.work()
    assert problem.summary == EXPIRING
    case.store.execute("UPDATE registration_challenge SET state = 'withdrawing'")
    await case.work()
    assert case.end is not None


async def test_without_a_payer_operators_are_told_and_nothing_is_lost(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.delenv(PAYER_NAME)
        (problem,) = await case.work()
    assert PAYER_NAME in problem.summary
    assert case.end is None
    assert await case.work() == []
    assert case.end is not None
