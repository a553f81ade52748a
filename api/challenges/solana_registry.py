"""What the worker does at the registry of a challenged registration on Solana."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from solders.keypair import Keypair

from api.challenges.registries import EndState
from api.challenges.repository import ChallengeRecord
from indexer.chains.solana.reader import SolanaReader
from indexer.contracts.ending import End
from indexer.contracts.registry import Reason
from indexer.contracts.solana import ending
from indexer.contracts.solana.registry_state import RegistryState, read_registry
from indexer.contracts.solana.signer import StatementSigner
from indexer.contracts.solana.statements import nonce_at


@dataclass(frozen=True, slots=True)
class SolanaRegistry:
    """The registration program. ``signer`` and ``payer`` are opened when a transaction is due."""

    reader: SolanaReader
    address: str
    signer: Callable[[], StatementSigner]
    payer: Callable[[], Keypair]

    async def read(self, challenge: ChallengeRecord) -> EndState:
        """See ``registries.Registry``."""
        state = await self._read(challenge)
        crown, end = state.registration(challenge.token_id), state.end(challenge.token_id)
        return EndState(
            end=None if end is None else End(Reason(end.reason), end.due_at, end.objected, end.confirmed),
            was_announced=crown is not None and crown.last_nonce >= announcement_nonce(challenge),
            is_registered=crown is not None,
            now=state.now,
        )

    async def announce(self, challenge: ChallengeRecord) -> str | None:
        """See ``registries.Registry``."""
        state = await self._read(challenge)
        crown = state.registration(challenge.token_id)
        if crown is None or state.end(challenge.token_id) is not None:
            return None
        signer, nonce = self.signer(), announcement_nonce(challenge)
        return await ending.announce_end(
            self.reader,
            state,
            crown,
            Reason.CHALLENGE,
            nonce=nonce,
            signer=signer.address,
            sign=lambda statement: asyncio.to_thread(signer.sign, statement),
            payer=self.payer(),
        )

    async def execute(self, challenge: ChallengeRecord) -> str | None:
        """See ``registries.Registry``."""
        state = await self._read(challenge)
        crown, end = state.registration(challenge.token_id), state.end(challenge.token_id)
        if crown is None or end is None or not end.is_due(state.now):
            return None
        return await ending.execute_end(self.reader, state, crown, payer=self.payer())

    async def withdraw(self, challenge: ChallengeRecord) -> str | None:
        """See ``registries.Registry``."""
        state = await self._read(challenge)
        crown = state.registration(challenge.token_id)
        if crown is None or state.end(challenge.token_id) is None:
            return None
        signer = self.signer()
        return await ending.withdraw_end(
            self.reader,
            state,
            crown,
            signer=signer.address,
            sign=lambda statement: asyncio.to_thread(signer.sign, statement),
            payer=self.payer(),
        )

    async def _read(self, challenge: ChallengeRecord) -> RegistryState:
        return await read_registry(self.reader, self.address, challenge.symbol)


def announcement_nonce(challenge: ChallengeRecord) -> int:
    """The nonce of the statement that announces the end: by the time of the decision, so it is higher than that of any
    statement made before, and the same after a kill. An operator who has a stopped end announced anew counts
    ``announcements`` up, which gives another nonce."""
    assert challenge.decided_at is not None  # noqa: S101 - what is upheld was decided
    return nonce_at(challenge.decided_at) + challenge.announcements
