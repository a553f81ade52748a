"""The end of a registration whose challenge was upheld: announced on its chain, waited for, executed.

Each announcement has a nonce of its own, derived from the challenge, which the registry takes once. So the state of an
end follows from the chain alone, and each step can be repeated after a kill at any instant:

    an end is announced                          execute it once it is due
    none is announced, the nonce was not used    announce it
    none is announced, the nonce was used        it was stopped, once these blocks are final

An end that was announced because the registration was inactive is not ours: it is neither executed nor taken back here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from api.challenges.outcomes import Outcomes
from api.challenges.registries import EndState, Registry
from api.challenges.repository import ChallengeRecord
from indexer.contracts.ending import End
from indexer.contracts.registry import Reason
from warehouse.domain.chains import Chain

OBJECTED = "the owner objected to the end: have the guardian confirm it, or reject the challenge"
EXPIRING = "an end for inactivity is announced: run `regalia expire --submit`, or have the guardian stop it"


@dataclass(frozen=True, slots=True)
class Ends:
    """Announces and executes ends at the registries of the chains."""

    outcomes: Outcomes
    registry_of: Callable[[Chain], Registry]

    async def advance(self, challenge: ChallengeRecord, chain: Chain, final_time: datetime) -> str | None:
        """Take an upheld challenge one step further. Returns what it needs of an operator, if anything.

        Raises:
            SendError, SignerKeyError, SignerUnavailable: nobody pays or signs, or the chain refuses.
            RpcError: the nodes do not answer.
        """
        registry = self.registry_of(chain)
        state = await registry.read(challenge)
        if state.end is not None:
            return await self._execute(challenge, registry, state, state.end)
        if state.was_announced:
            if state.is_registered:
                await self._see_stop(challenge, chain, state, final_time)
            return None  # it has ended; the index will say when
        announced = await registry.announce(challenge)
        await self.outcomes.repository.note_transactions(challenge.id, announced=announced)
        return None

    async def withdraw(self, challenge: ChallengeRecord, chain: Chain, final_time: datetime) -> None:
        """Take the announcement of a challenge back that an operator rejected. Raises as ``advance``."""
        registry = self.registry_of(chain)
        state = await registry.read(challenge)
        is_ours = state.end is not None and state.end.reason is Reason.CHALLENGE
        if not is_ours or await registry.withdraw(challenge) is None:
            await self._see_stop(challenge, chain, state, final_time)

    async def _execute(self, challenge: ChallengeRecord, registry: Registry, state: EndState, end: End) -> str | None:
        repository = self.outcomes.repository
        if end.reason is not Reason.CHALLENGE:
            return EXPIRING
        if challenge.stop_seen_at is not None:  # a reorganisation brought it back
            await repository.note_stop(challenge.id, None)
        if end.objected and not end.confirmed:
            return OBJECTED
        if end.is_due(state.now) and (executed := await registry.execute(challenge)) is not None:
            await repository.note_transactions(challenge.id, executed=executed)
        return None

    async def _see_stop(self, challenge: ChallengeRecord, chain: Chain, state: EndState, final_time: datetime) -> None:
        """No end is announced any more. That counts once the blocks in which it went are final."""
        if challenge.stop_seen_at is None:
            await self.outcomes.repository.note_stop(challenge.id, datetime.fromtimestamp(state.now, UTC))
        elif final_time >= challenge.stop_seen_at:
            if challenge.state == "withdrawing":
                await self.outcomes.withdrawn(challenge)
            else:
                await self.outcomes.stop(challenge, chain)
