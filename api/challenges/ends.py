"""The end of a registration whose challenge was upheld: announced on its chain, waited for, executed.

Each announcement has a nonce of its own, derived from the challenge, which the registry takes once. So the state of an
end follows from the chain alone, and each step can be repeated after a kill at any instant:

    an end is announced                          execute it once it is due
    none is announced, the nonce was not used    announce it
    none is announced, the nonce was used        it was stopped, once these blocks are final
"""

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

from api.challenges.outcomes import Outcomes
from api.challenges.repository import ChallengeRecord
from indexer.chains.evm.rpc import EvmClient
from indexer.contracts import ending
from indexer.contracts.registry import Reason
from indexer.contracts.signer import Signer
from warehouse.domain.chains import Chain

if TYPE_CHECKING:
    from eth_account.signers.local import LocalAccount

OBJECTED = "the owner objected to the end: have the guardian confirm it, or reject the challenge"
_PATIENCE_SECONDS = 10.0
_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class Ends:
    """Announces and executes ends. ``signer`` and ``payer`` are opened when a transaction is due."""

    outcomes: Outcomes
    signer: Callable[[], Signer]
    payer: Callable[[], "LocalAccount"]

    async def advance(self, challenge: ChallengeRecord, chain: Chain, final_time: datetime) -> str | None:
        """Take an upheld challenge one step further. Returns what it needs of an operator, if anything.

        Raises:
            SendError, SignerKeyError, SignerUnavailable: nobody pays or signs, or the chain refuses.
            RpcError: the nodes do not answer.
        """
        registry, token_id = chain.contracts["registry"], challenge.token_id
        end = await _with_client(chain, lambda client: ending.read_end(client, registry, token_id))
        if end is not None:
            return await self._execute(challenge, chain, end)
        nonce = announcement_nonce(challenge)
        if await _with_client(chain, lambda client: ending.is_nonce_used(client, registry, nonce)):
            if await _with_client(chain, lambda client: ending.is_registered(client, registry, token_id)):
                await self._see_stop(challenge, chain, final_time)
            return None  # it has ended; the index will say when
        announced = await _with_client(
            chain,
            lambda client: ending.announce_end(
                client,
                registry=registry,
                token_id=token_id,
                reason=Reason.CHALLENGE,
                signer=self.signer(),
                payer=self.payer(),
                nonce=nonce,
            ),
        )
        await self.outcomes.repository.note_transactions(challenge.id, announced=announced)
        return None

    async def withdraw(self, challenge: ChallengeRecord, chain: Chain, final_time: datetime) -> None:
        """Take the announcement of a challenge back that an operator rejected. Raises as ``advance``."""
        registry, token_id = chain.contracts["registry"], challenge.token_id
        withdrawn = await _with_client(
            chain,
            lambda client: ending.withdraw_end(
                client, registry=registry, token_id=token_id, signer=self.signer(), payer=self.payer()
            ),
        )
        if withdrawn is None:
            await self._see_stop(challenge, chain, final_time)

    async def _execute(self, challenge: ChallengeRecord, chain: Chain, end: ending.End) -> str | None:
        repository, registry = self.outcomes.repository, chain.contracts["registry"]
        if challenge.stop_seen_at is not None:  # a reorganisation brought it back
            await repository.note_stop(challenge.id, None)
        if end.objected and not end.confirmed:
            return OBJECTED
        executed = await _with_client(
            chain,
            lambda client: ending.execute_end(
                client, registry=registry, token_id=challenge.token_id, payer=self.payer()
            ),
        )
        if executed is not None:
            await repository.note_transactions(challenge.id, executed=executed)
        return None

    async def _see_stop(self, challenge: ChallengeRecord, chain: Chain, final_time: datetime) -> None:
        """No end is announced any more. That counts once the blocks in which it went are final."""
        if challenge.stop_seen_at is None:
            seconds = await _with_client(chain, ending.chain_time)
            await self.outcomes.repository.note_stop(challenge.id, datetime.fromtimestamp(seconds, UTC))
        elif final_time >= challenge.stop_seen_at:
            if challenge.state == "withdrawing":
                await self.outcomes.withdrawn(challenge)
            else:
                await self.outcomes.stop(challenge, chain)


def announcement_nonce(challenge: ChallengeRecord) -> int:
    """The nonce of the statement that announces the end. An operator who has a stopped end announced anew counts
    ``announcements`` up, which gives another nonce."""
    name = f"challenge {challenge.id} {challenge.announcements}"
    return int.from_bytes(hashlib.sha256(name.encode()).digest(), "big")


async def _with_client(chain: Chain, act: Callable[[EvmClient], _Answer]) -> _Answer:
    """Run a blocking step with a client of the chain, beside the event loop."""

    def run() -> _Answer:
        client = EvmClient(chain, patience_seconds=_PATIENCE_SECONDS)
        try:
            return act(client)
        finally:
            client.close()

    return await asyncio.to_thread(run)
