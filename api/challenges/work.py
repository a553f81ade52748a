"""What the worker does with challenges that are not settled.

Each step reads the state of the chain and of the store, makes one change, and can be repeated after a kill at any
instant: outcomes are compare-and-set (``outcomes.py``), ends follow from the chain (``ends.py``).
"""

import logging
from dataclasses import dataclass, replace
from datetime import datetime

from api.chains import ChainReaders
from api.challenges.ends import Ends
from api.challenges.outcomes import Outcomes
from api.challenges.repository import ChallengeRecord, ChallengeRepository
from api.challenges.rules import HOUR, Evidence, decide
from api.challenges.standings import Standings
from api.claims.errors import Undecided
from api.clock import Clock
from api.consents.migration import Migrations
from api.finality import read_final_time
from indexer.chains.errors import RpcError
from indexer.contracts.sending import SendError
from indexer.contracts.signer import SignerKeyError, SignerUnavailable
from warehouse.domain.chains import Chain, Chains
from warehouse.errors import StoreUnavailable, WarehouseError

LOG = logging.getLogger(__name__)
UNANSWERED = (Undecided, RpcError, WarehouseError, StoreUnavailable)
"""Errors after which the same step is tried again a minute later."""
NEED_OPERATOR = (SendError, SignerKeyError, SignerUnavailable)
"""Errors that operators are told of as well: nobody pays or signs, or the chain refuses."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A challenge that waits for an operator, and why."""

    challenge: ChallengeRecord
    summary: str


@dataclass(frozen=True, slots=True)
class ChallengeWork:
    """Takes the challenges that are not settled further."""

    repository: ChallengeRepository
    standings: Standings
    migrations: Migrations
    chains: Chains
    readers: ChainReaders
    outcomes: Outcomes
    ends: Ends
    clock: Clock

    async def run(self) -> list[Problem]:
        """Take one step with each challenge. Returns those that wait for an operator."""
        found = [await self._try(challenge) for challenge in await self.repository.at_work()]
        return [problem for problem in found if problem is not None]

    async def _try(self, challenge: ChallengeRecord) -> Problem | None:
        chain = self.chains.by_id(challenge.chain_id)
        if chain is None or not chain.enabled or "registry" not in chain.contracts:
            return Problem(challenge, f"chain {challenge.chain_id} is not served here")
        try:
            return await self._step(challenge, chain)
        except UNANSWERED as error:
            LOG.info("challenge %s waits: %s", challenge.id, error)
            return None
        except NEED_OPERATOR as error:
            LOG.warning("challenge %s: %s", challenge.id, error)
            return Problem(challenge, str(error))

    async def _step(self, challenge: ChallengeRecord, chain: Chain) -> Problem | None:
        final_time = await read_final_time(self.readers, chain)
        row = await self.repository.registration(challenge)
        if row is None or row.transaction_hash != challenge.mint_transaction:
            await self._note_removal(challenge, chain, final_time)
            return None
        if row.ended_at is not None:
            if final_time >= row.ended_at:
                await self._note_end(challenge, chain, row.ended_at)
            return None
        if challenge.state == "open":
            return await self._decide(challenge, chain, final_time)
        if challenge.state == "withdrawing":
            await self.ends.withdraw(challenge, chain, final_time)
            return None
        if challenge.state == "upheld":
            needed = await self.ends.advance(challenge, chain, final_time)
        else:
            needed = challenge.reason or "rules cannot decide it"
        return None if needed is None else Problem(challenge, needed)

    async def _note_removal(self, challenge: ChallengeRecord, chain: Chain, final_time: datetime) -> None:
        """The mint is not recorded. Its block may come back until both the chain and the index are well beyond it."""
        progress = await self.standings.progress(challenge.chain_id)
        if progress is not None and min(final_time, progress.as_of_time) >= challenge.decide_at:
            reason = "A reorganisation of the chain removed the mint."
            await self.outcomes.void(challenge, chain, reason=reason, now=self.clock.now())

    async def _note_end(self, challenge: ChallengeRecord, chain: Chain, ended_at: datetime) -> None:
        if challenge.state == "upheld":
            await self.outcomes.end(challenge, ended_at)
        elif challenge.state == "withdrawing":
            await self.outcomes.withdrawn(challenge)
        else:
            reason = "The registration ended before the challenge was decided."
            await self.outcomes.void(challenge, chain, reason=reason, now=self.clock.now())

    async def _decide(self, challenge: ChallengeRecord, chain: Chain, final_time: datetime) -> Problem | None:
        if final_time < challenge.decide_at:
            return None  # the hour that decides can still change
        evidence = await self._evidence(challenge, chain)
        decision, now = decide(evidence, self.standings.rules), self.clock.now()
        if decision.upheld is None:
            await self.outcomes.leave_undecided(challenge, reason=decision.reason, evidence=evidence.as_json())
            return Problem(challenge, decision.reason)
        settle = self.outcomes.uphold if decision.upheld else self.outcomes.reject
        await settle(challenge, chain, reason=decision.reason, now=now, evidence=evidence.as_json())
        return None

    async def _evidence(self, challenge: ChallengeRecord, chain: Chain) -> Evidence:
        senior, address = challenge.challenger_token, challenge.registered_token
        evidence = await self.standings.evidence(
            challenge.chain_id,
            senior,
            address,
            folded=challenge.symbol_folded,
            minted_at=challenge.minted_at,
            hour=challenge.decide_at - HOUR,
        )
        is_migration = await self.migrations.is_migration(chain, self.readers, senior=senior, address=address)
        return replace(evidence, is_migration=is_migration)
