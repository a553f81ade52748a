"""Ending a registration on Solana: announce, wait, execute.

Callers first read how far the chain is (``registry_state.py``), so each step is safe to repeat after a kill at any
instant. Two processes that announce at once announce once: the program refuses the second.
"""

from collections.abc import Awaitable, Callable

from solders.instruction import Instruction
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from indexer.chains.solana.reader import SolanaReader
from indexer.contracts.solana import idl, program
from indexer.contracts.solana.program import Crown
from indexer.contracts.solana.registry_state import RegistryState
from indexer.contracts.solana.sending import send
from indexer.contracts.solana.statements import next_nonce, signed

STATEMENT_SECONDS = 900
Sign = Callable[[bytes], Awaitable[bytes]]
"""Has a statement signed."""


async def announce_end(
    reader: SolanaReader,
    state: RegistryState,
    crown: Crown,
    reason: int,
    *,
    nonce: int,
    signer: Pubkey,
    sign: Sign,
    payer: Keypair,
) -> str:
    """Announce the end of a registration; the transaction's signature.

    Args:
        state: the registry as it was just read, with the registration ``crown``.
        nonce: of the statement; higher than ``crown.last_nonce``, or the program refuses it.

    Raises:
        SendError: the payer cannot pay, or the chain refused it.
        RpcError: the nodes do not answer.
    """
    deadline = state.now + STATEMENT_SECONDS
    statement = state.domain.end_announcement(crown.token_id, reason, deadline=deadline, nonce=nonce)
    arguments = {"token_id": crown.token_id, "reason": reason, "deadline": deadline, "nonce": nonce}
    steps = [
        signed(statement, signer, await sign(statement)),
        idl.instruction(state.program, "announce_end", _accounts(state, crown), arguments),
    ]
    return await send(reader, payer, steps, what=f"the announcement that registration {crown.token_id} ends")


async def withdraw_end(
    reader: SolanaReader, state: RegistryState, crown: Crown, *, signer: Pubkey, sign: Sign, payer: Keypair
) -> str:
    """Take the announcement of an end back; the transaction's signature. Raises as ``announce_end``."""
    nonce = next_nonce(crown.last_nonce, state.now)
    deadline = state.now + STATEMENT_SECONDS
    statement = state.domain.end_withdrawal(crown.token_id, deadline=deadline, nonce=nonce)
    arguments = {"token_id": crown.token_id, "deadline": deadline, "nonce": nonce}
    steps = [
        signed(statement, signer, await sign(statement)),
        idl.instruction(state.program, "withdraw_end", _accounts(state, crown), arguments),
    ]
    return await send(reader, payer, steps, what=f"the withdrawal of the end of registration {crown.token_id}")


async def execute_end(reader: SolanaReader, state: RegistryState, crown: Crown, *, payer: Keypair) -> str:
    """End a registration whose announced end is due; the transaction's signature.

    Raises:
        SendError: the chain refused it, for example because the guardian stopped it just now.
        RpcError: the nodes do not answer.
    """
    accounts = {**_accounts(state, crown), "owner": crown.owner}
    steps: list[Instruction] = [idl.instruction(state.program, "execute_end", accounts)]
    return await send(reader, payer, steps, what=f"the end of registration {crown.token_id}")


def _accounts(state: RegistryState, crown: Crown) -> dict[str, Pubkey]:
    return {
        "config": program.config_address(state.program),
        "crown": program.crown_address(state.program, crown.symbol),
    }
