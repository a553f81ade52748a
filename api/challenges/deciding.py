"""What an operator decides: challenges that rules cannot decide, and copy verdicts by hand. Reasons are public."""

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from api.challenges.outcomes import OPERATOR, Outcomes
from api.challenges.repository import ChallengeRecord, ChallengeRepository
from warehouse.domain.chains import Chain, Chains
from warehouse.domain.symbols import fold

UPHOLDABLE = frozenset({"open", "undecided", "stopped"})
REJECTABLE = frozenset({"open", "undecided", "upheld"})


class DecisionError(ValueError):
    """The decision cannot be made; the message says why."""


@dataclass(frozen=True, slots=True)
class Deciding:
    """Decides challenges for the operator. The worker does what follows on the chain."""

    repository: ChallengeRepository
    chains: Chains

    async def uphold(self, id: UUID, reason: str, now: datetime) -> ChallengeRecord:
        """Uphold a challenge that is not decided, or have the end of a stopped one announced anew.

        Raises:
            DecisionError: there is none, or it is in another state.
        """
        challenge, chain = await self._find(id, UPHOLDABLE, "upheld")
        if challenge.state == "stopped":
            await self._require_alone(challenge)
            again = await self.repository.count_announcement(id)
            if again is None:
                raise DecisionError(f"challenge {id} changed meanwhile; look at it again")
            challenge = replace(challenge, announcements=again)
        made = await Outcomes(self.repository).uphold(challenge, chain, reason=reason, now=now, by=OPERATOR)
        return await self._made(made, id)

    async def reject(self, id: UUID, reason: str, now: datetime) -> ChallengeRecord:
        """Reject a challenge. Where it was upheld, the worker takes the announced end back.

        Raises:
            DecisionError: there is none, or it is in another state.
        """
        challenge, chain = await self._find(id, REJECTABLE, "rejected")
        made = await Outcomes(self.repository).reject(
            challenge, chain, reason=reason, now=now, by=OPERATOR, withdrawing=challenge.state == "upheld"
        )
        return await self._made(made, id)

    async def rule(self, chain: Chain, address: str, reason: str, of: str | None) -> None:
        """Give a copy verdict by hand: a copy of ``of``, or no copy. It replaces an earlier one, and counts while the
        token bears its present symbol or one that looks like it. Safe to repeat.

        Raises:
            DecisionError: the token would be a copy of itself, or is not indexed.
        """
        if of == address:
            raise DecisionError("--copy-of: a token is no copy of itself")
        async with self.repository.store.transaction() as transaction:
            listed = await transaction.rows("tokens/list", {"chain_id": chain.chain_id, "addresses": [address]})
            if not listed:
                raise DecisionError(f"{address} is not indexed on {chain.name}")
            ruling = {
                "chain_id": chain.chain_id,
                "address": address,
                "is_copy": of is not None,
                "of_address": of,
                "reason": reason,
                "symbol_folded": fold(listed[0]["symbol_key"]),
            }
            await transaction.execute("rulings/save", ruling)

    async def withdraw_ruling(self, chain: Chain, address: str) -> None:
        """Take a verdict by hand back; rules decide again.

        Raises:
            DecisionError: there is none.
        """
        async with self.repository.store.transaction() as transaction:
            if not await transaction.execute("rulings/remove", {"chain_id": chain.chain_id, "address": address}):
                raise DecisionError(f"there is no verdict by hand on {address}")

    async def _find(self, id: UUID, states: frozenset[str], outcome: str) -> tuple[ChallengeRecord, Chain]:
        challenge = await self.repository.find(id)
        if challenge is None:
            raise DecisionError(f"there is no challenge {id}")
        chain = self.chains.by_id(challenge.chain_id)
        if chain is None:
            raise DecisionError(f"chain {challenge.chain_id} is not in the chains file")
        if challenge.state not in states:
            raise DecisionError(f"challenge {id} is {challenge.state}; it cannot be {outcome}")
        return challenge, chain

    async def _require_alone(self, challenge: ChallengeRecord) -> None:
        place = (challenge.chain_id, challenge.token_id)
        for other in await self.repository.at_work():
            if (other.chain_id, other.token_id) == place:
                raise DecisionError(f"challenge {other.id} of the same registration is at work; decide it first")

    async def _made(self, made: bool, id: UUID) -> ChallengeRecord:
        challenge = await self.repository.find(id)
        if not made or challenge is None:
            raise DecisionError(f"challenge {id} changed meanwhile; look at it again")
        return challenge
