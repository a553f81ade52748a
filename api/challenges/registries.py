"""What the worker does at the registry of a challenged registration. One class for each kind of chain; the one for
Solana is in ``solana_registry.py``."""

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from api.challenges.repository import ChallengeRecord
from indexer.chains.evm.rpc import EvmClient
from indexer.contracts import ending
from indexer.contracts.ending import End
from indexer.contracts.registry import Reason
from indexer.contracts.signer import Signer
from warehouse.domain.chains import Chain

if TYPE_CHECKING:
    from eth_account.signers.local import LocalAccount

_PATIENCE_SECONDS = 10.0
_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class EndState:
    """How far the end of a challenged registration is.

    Attributes:
        end: what is announced, for whatever reason; None where nothing is.
        was_announced: the registry has taken the announcement of this decision.
        is_registered: the registration has not ended.
        now: chain time, in seconds.
    """

    end: End | None
    was_announced: bool
    is_registered: bool
    now: int


class Registry(Protocol):
    """The registry of one chain. Each step is safe to repeat after a kill at any instant: it takes an announcement
    once, and knows by its nonce which ones it took.

    All methods raise ``RpcError`` if the nodes do not answer, and all but ``read`` raise ``SendError``,
    ``SignerKeyError`` or ``SignerUnavailable`` if nobody pays or signs, or the chain refuses.
    """

    async def read(self, challenge: ChallengeRecord) -> EndState:
        """How far the end is now."""
        ...

    async def announce(self, challenge: ChallengeRecord) -> str | None:
        """Announce the end; the transaction, None if an end is announced already or the registration has ended."""
        ...

    async def execute(self, challenge: ChallengeRecord) -> str | None:
        """Carry the announced end out; the transaction, None if it is not due."""
        ...

    async def withdraw(self, challenge: ChallengeRecord) -> str | None:
        """Take the announcement back; the transaction, None if there is none."""
        ...


@dataclass(frozen=True, slots=True)
class EvmRegistry:
    """The registry contract of an EVM chain. ``signer`` and ``payer`` are opened when a transaction is due."""

    chain: Chain
    signer: Callable[[], Signer]
    payer: Callable[[], "LocalAccount"]

    async def read(self, challenge: ChallengeRecord) -> EndState:
        """See ``Registry``."""
        registry, token_id = self.chain.contracts["registry"], challenge.token_id

        def read(client: EvmClient) -> EndState:
            return EndState(
                end=ending.read_end(client, registry, token_id),
                was_announced=ending.is_nonce_used(client, registry, announcement_nonce(challenge)),
                is_registered=ending.is_registered(client, registry, token_id),
                now=ending.chain_time(client),
            )

        return await self._with_client(read)

    async def announce(self, challenge: ChallengeRecord) -> str | None:
        """See ``Registry``."""
        return await self._with_client(
            lambda client: ending.announce_end(
                client,
                registry=self.chain.contracts["registry"],
                token_id=challenge.token_id,
                reason=Reason.CHALLENGE,
                signer=self.signer(),
                payer=self.payer(),
                nonce=announcement_nonce(challenge),
            )
        )

    async def execute(self, challenge: ChallengeRecord) -> str | None:
        """See ``Registry``."""
        registry, token_id = self.chain.contracts["registry"], challenge.token_id
        return await self._with_client(
            lambda client: ending.execute_end(client, registry=registry, token_id=token_id, payer=self.payer())
        )

    async def withdraw(self, challenge: ChallengeRecord) -> str | None:
        """See ``Registry``."""
        registry, token_id = self.chain.contracts["registry"], challenge.token_id
        return await self._with_client(
            lambda client: ending.withdraw_end(
                client, registry=registry, token_id=token_id, signer=self.signer(), payer=self.payer()
            )
        )

    async def _with_client(self, act: Callable[[EvmClient], _Answer]) -> _Answer:
        """Run a blocking step with a client of the chain, beside the event loop."""

        def run() -> _Answer:
            client = EvmClient(self.chain, patience_seconds=_PATIENCE_SECONDS)
            try:
                return act(client)
            finally:
                client.close()

        return await asyncio.to_thread(run)


def announcement_nonce(challenge: ChallengeRecord) -> int:
    """The nonce of the statement that announces the end on EVM chains. An operator who has a stopped end announced anew
    counts ``announcements`` up, which gives another nonce."""
    name = f"challenge {challenge.id} {challenge.announcements}"
    return int.from_bytes(hashlib.sha256(name.encode()).digest(), "big")
