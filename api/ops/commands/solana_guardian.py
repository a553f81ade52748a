"""``regalia guardian`` on Solana. Functions have the names that the registry contract of EVM chains gives them."""

import asyncio
import base64
import json
import os
from collections.abc import Callable, Coroutine
from dataclasses import asdict
from typing import Any

from solders.instruction import Instruction
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from indexer.chains.solana.reader import SolanaReader
from indexer.contracts.sending import SendError
from indexer.contracts.signer import SignerKeyError
from indexer.contracts.solana import guarding
from indexer.contracts.solana.payer import GUARDIAN_NAME, open_payer
from indexer.contracts.solana.registry_state import RegistryState, read_registry
from indexer.contracts.solana.sending import send
from indexer.contracts.solana.signer import StatementSigner, read_keypair
from warehouse.domain.chains import Chain

_ABOUT_ENDS = {"vetoEnd": "veto_end", "confirmEnd": "confirm_end"}
_PLAIN = {"suspendSigner": "suspend_signer", "cancelSigner": "cancel_signer", "acceptGuardian": "accept_guardian"}
_ABOUT_KEYS = {"announceSigner": ("announce_signer", "signer"), "announceGuardian": ("offer_guardian", "next_guardian")}
_QUESTION_SECONDS = 20.0


def show_status(chain: Chain, signer: StatementSigner) -> None:
    """Print keys and terms of the chain's registry, and whether this service's signer is the registry's."""

    async def show(reader: SolanaReader, state: RegistryState) -> None:
        terms = await guarding.read_terms(reader, state)
        is_ours = state.config.signer == signer.address and not state.config.suspended
        print(json.dumps({"registry": str(state.program), **asdict(terms), "signer_is_ours": is_ours}))

    _run(chain, show)


def call(chain: Chain, function: str, *arguments: Any, submit: bool) -> None:
    """Print the guardian's instruction as an unsigned transaction, or send it."""
    what = f"{function}({', '.join(str(argument) for argument in arguments)})"

    async def act(reader: SolanaReader, state: RegistryState) -> None:
        instruction = await _instruction(reader, state, function, *arguments)
        config = state.config
        expected = config.next_guardian if function == "acceptGuardian" else config.guardian
        await _rehearse(reader, expected, [instruction], what)
        if submit:
            await _send(reader, _guardian(expected), [instruction], what)
        else:
            await _print(reader, expected, [instruction], what)

    _run(chain, act)


def accept_signer(chain: Chain, signer: StatementSigner, *, submit: bool) -> None:
    """Print or send the acceptance of this service's signer, which the guardian announced. Anyone may send it."""
    what = f"activateSigner({signer.address})"

    async def act(reader: SolanaReader, state: RegistryState) -> None:
        if state.config.next_signer_at == 0:
            raise SendError(f"chain {chain.key}: the registry refuses {what}: NothingAnnounced")
        instructions = guarding.accept_signer(state, signer)
        payer = open_payer() if submit else None
        sender = payer.pubkey() if payer else state.config.guardian
        await _rehearse(reader, sender, instructions, what)
        if payer is not None:
            await _send(reader, payer, instructions, what)
        else:
            await _print(reader, sender, instructions, what)

    _run(chain, act)


def address(text: str) -> Pubkey:
    """An address.

    Raises:
        SignerKeyError: it is none.
    """
    try:
        return Pubkey.from_string(text)
    except ValueError:
        raise SignerKeyError(f"{text!r} is not an address on Solana") from None


def _run(chain: Chain, act: Callable[[SolanaReader, RegistryState], Coroutine[Any, Any, None]]) -> None:
    async def run() -> None:
        reader = SolanaReader(chain, timeout_seconds=_QUESTION_SECONDS)
        try:
            await act(reader, await read_registry(reader, chain.contracts["registry"]))
        finally:
            await reader.close()

    asyncio.run(run())


async def _instruction(reader: SolanaReader, state: RegistryState, function: str, *arguments: Any) -> Instruction:
    if function in _ABOUT_ENDS:
        crown = await guarding.find_crown(reader, state.program, *arguments)
        return guarding.about_end(state, _ABOUT_ENDS[function], crown)
    if function in _ABOUT_KEYS:
        name, argument = _ABOUT_KEYS[function]
        return guarding.of_guardian(state, name, **{argument: address(*arguments)})
    if function == "setMintLimits":
        free_per_day, paid_from = arguments
        return guarding.of_guardian(state, "set_limits", free_per_day=free_per_day, paid_from=paid_from)
    if function not in _PLAIN:
        raise SendError(f"chain {reader.chain.key}: the registry has no {function}")
    return guarding.of_guardian(state, _PLAIN[function])


async def _rehearse(reader: SolanaReader, sender: Pubkey, instructions: list[Instruction], what: str) -> None:
    made, _ = await guarding.unsigned(reader, sender, instructions)
    await guarding.rehearse(reader, made, what=what)


def _guardian(expected: Pubkey) -> Keypair:
    given = os.environ.get(GUARDIAN_NAME, "").strip()
    if not given:
        raise SignerKeyError(f"{GUARDIAN_NAME} must hold the guardian's key, in base58, for --submit")
    keypair = read_keypair(given, GUARDIAN_NAME)
    if keypair.pubkey() != expected:
        raise SignerKeyError(f"{GUARDIAN_NAME} is the key of {keypair.pubkey()}, the guardian is {expected}")
    return keypair


async def _send(reader: SolanaReader, payer: Keypair, instructions: list[Instruction], what: str) -> None:
    sent = await send(reader, payer, instructions, what=what)
    print(json.dumps({"call": what, "transaction": sent}))


async def _print(reader: SolanaReader, payer: Pubkey, instructions: list[Instruction], what: str) -> None:
    """The transaction for wallets, valid for about a minute, and its instructions for multi-signature wallets, which
    make transactions of their own."""
    made, last_height = await guarding.unsigned(reader, payer, instructions)
    shown = [
        {
            "programId": str(one.program_id),
            "accounts": [
                {"pubkey": str(meta.pubkey), "isSigner": meta.is_signer, "isWritable": meta.is_writable}
                for meta in one.accounts
            ],
            "data": base64.b64encode(bytes(one.data)).decode(),
        }
        for one in instructions
    ]
    transaction = base64.b64encode(bytes(made)).decode()
    unsigned = {"transaction": transaction, "lastValidBlockHeight": last_height, "instructions": shown}
    print(json.dumps({"call": what, **unsigned, "chainId": reader.chain.caip2}))
