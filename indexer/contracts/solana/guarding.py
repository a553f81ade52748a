"""The guardian's side of a registry on Solana: what it has to know, and the instructions that it alone may give."""

import base64
from dataclasses import dataclass
from typing import Any

from solders.hash import Hash
from solders.instruction import Instruction
from solders.message import MessageV0
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.transaction import VersionedTransaction

from indexer.chains.errors import RpcError
from indexer.chains.solana.accounts import CONFIRMED, multiple_accounts, read_account, read_accounts
from indexer.chains.solana.reader import SolanaReader
from indexer.contracts.sending import SendError
from indexer.contracts.solana import idl, loader, program
from indexer.contracts.solana.program import Crown
from indexer.contracts.solana.registry_state import RegistryState
from indexer.contracts.solana.sending import failure
from indexer.contracts.solana.signer import StatementSigner
from indexer.contracts.solana.statements import signed

_DAY = 86_400
_TOKEN_ID_AT = 24
"""Where a crown holds its token id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistryTerms:
    """The keys and terms of a registry, as ``regalia guardian status`` prints them. Addresses are base58, None where
    there is none; delays and times are in seconds, ``paid_from`` is in lamports. Who has ``upgrade_authority`` may
    replace the program's code."""

    signer: str
    suspended: bool
    guardian: str
    treasury: str
    upgrade_authority: str | None
    end_delay: int
    objection_delay: int
    signer_delay: int
    free_mints_per_day: int
    free_mints_left: int
    paid_from: int
    next_signer: str | None
    next_signer_from: int | None
    next_guardian: str | None
    next_guardian_from: int | None


async def read_terms(reader: SolanaReader, state: RegistryState) -> RegistryTerms:
    """The keys and terms of a registry that was just read.

    Raises:
        RpcError: the nodes do not answer.
    """
    config = state.config
    is_today = config.free_day == state.now // _DAY
    return RegistryTerms(
        signer=str(config.signer),
        suspended=config.suspended,
        guardian=str(config.guardian),
        treasury=str(config.treasury),
        upgrade_authority=await _upgrade_authority(reader, state.program),
        end_delay=config.end_delay,
        objection_delay=config.objection_delay,
        signer_delay=config.signer_delay,
        free_mints_per_day=config.free_per_day,
        free_mints_left=max(config.free_per_day - (config.free_used if is_today else 0), 0),
        paid_from=config.paid_from,
        next_signer=str(config.next_signer) if config.next_signer_at else None,
        next_signer_from=config.next_signer_at or None,
        next_guardian=str(config.next_guardian) if config.next_guardian_at else None,
        next_guardian_from=config.next_guardian_at or None,
    )


async def find_crown(reader: SolanaReader, registry: Pubkey, token_id: int) -> Crown:
    """The registration with an id.

    Raises:
        SendError: there is none.
        RpcError: the nodes do not answer.
    """
    wanted = base64.b64encode(token_id.to_bytes(8, "little")).decode()
    filters = [
        {"dataSize": program.CROWN_BYTES},
        {"memcmp": {"offset": _TOKEN_ID_AT, "bytes": wanted, "encoding": "base64"}},
    ]
    options = {"encoding": "base64", "commitment": CONFIRMED, "filters": filters}
    found = await reader.request("getProgramAccounts", str(registry), options)
    for one in found:
        crown = Crown.decode(read_account(one["account"]).data)
        if crown is not None and crown.token_id == token_id:
            return crown
    raise SendError(f"chain {reader.chain.key}: there is no registration {token_id}")


def of_guardian(state: RegistryState, name: str, **arguments: Any) -> Instruction:
    """An instruction of the guardian about the registry."""
    return idl.instruction(state.program, name, _keys(state), arguments)


def about_end(state: RegistryState, name: str, crown: Crown) -> Instruction:
    """An instruction of the guardian about an announced end: ``confirm_end`` or ``veto_end``."""
    accounts = {**_keys(state), "crown": program.crown_address(state.program, crown.symbol)}
    return idl.instruction(state.program, name, accounts)


def accept_signer(state: RegistryState, signer: StatementSigner) -> list[Instruction]:
    """The instructions with which an announced signer takes over. Anybody may send them.

    Raises:
        SignerUnavailable: the remote signer did not sign.
    """
    statement = state.domain.acceptance(signer.address, state.config.next_signer_at)
    return [
        signed(statement, signer.address, signer.sign(statement)),
        idl.instruction(state.program, "activate_signer", _keys(state)),
    ]


async def unsigned(
    reader: SolanaReader, payer: Pubkey, instructions: list[Instruction]
) -> tuple[VersionedTransaction, int]:
    """A transaction without signatures that is valid now, and the last block height at which it is.

    Raises:
        RpcError: the nodes do not answer.
    """
    latest = (await reader.request("getLatestBlockhash", {"commitment": CONFIRMED}))["value"]
    message = MessageV0.try_compile(payer, instructions, [], Hash.from_string(latest["blockhash"]))
    none = [Signature.default()] * message.header.num_required_signatures
    return VersionedTransaction.populate(message, none), int(latest["lastValidBlockHeight"])


async def rehearse(reader: SolanaReader, transaction: VersionedTransaction, *, what: str) -> None:
    """Run a transaction without sending it.

    Raises:
        SendError: the registry refuses it, or its payer has nothing.
        RpcError: the nodes do not answer.
    """
    options = {"encoding": "base64", "sigVerify": False, "replaceRecentBlockhash": True, "commitment": CONFIRMED}
    encoded = base64.b64encode(bytes(transaction)).decode()
    outcome = (await reader.request("simulateTransaction", encoded, options))["value"]
    if outcome["err"] is not None:
        reason = failure(outcome["err"])
        raise SendError(f"chain {reader.chain.key}: the registry refuses {what}: {reason}")


def _keys(state: RegistryState) -> dict[str, Pubkey]:
    config = state.config
    return {
        "guardian": config.guardian,
        "next_guardian": config.next_guardian,
        "config": program.config_address(state.program),
    }


async def _upgrade_authority(reader: SolanaReader, registry: Pubkey) -> str | None:
    method, parameters = multiple_accounts([str(loader.program_data_address(registry))])
    (account,) = read_accounts(await reader.request(method, *parameters), 1)[1]
    try:
        authority = loader.ProgramData.decode(account.data if account else b"").upgrade_authority
    except ValueError as error:
        raise RpcError(f"the code of {registry} cannot be read: {error}") from error
    return None if authority is None else str(authority)
