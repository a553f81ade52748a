"""The guardian's side of a registry: what it has to know, and the calls that it alone may make."""

import re
from dataclasses import dataclass
from typing import Any

from indexer.chains.errors import CallFailed
from indexer.chains.evm.rpc import EvmClient
from indexer.contracts.registry import contract
from indexer.contracts.sending import SendError
from indexer.contracts.signer import Signer
from indexer.contracts.statements import SignerAcceptance, sign

_FIELDS = {
    "signer": "signer", "guardian": "guardian", "treasury": "treasury", "factory": "factory",
    "end_delay": "endDelay", "objection_delay": "objectionDelay", "signer_delay": "signerDelay",
    "free_mints_per_day": "freeMintsPerDay", "free_mints_left": "freeMintsLeft", "paid_from": "paidFrom",
    "next_signer": "nextSigner", "next_signer_from": "nextSignerFrom",
    "next_guardian": "nextGuardian", "next_guardian_from": "nextGuardianFrom",
}  # fmt: skip
_SELECTOR = re.compile(r"0x[0-9a-f]{8}", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistryState:
    """The keys and terms of a registry. Addresses are lower-case hexadecimal, zero where there is none; delays and
    times are in seconds, ``paid_from`` is in wei."""

    signer: str
    guardian: str
    treasury: str
    factory: str
    end_delay: int
    objection_delay: int
    signer_delay: int
    free_mints_per_day: int
    free_mints_left: int
    paid_from: int
    next_signer: str
    next_signer_from: int
    next_guardian: str
    next_guardian_from: int


def read_state(client: EvmClient, registry: str) -> RegistryState:
    """The keys and terms of a registry now.

    Raises:
        RpcError: the nodes do not answer, or there is no such registry at the address.
    """
    return RegistryState(**{field: _read(client, registry, function) for field, function in _FIELDS.items()})


def accept_signer_calldata(signer: Signer, chain_id: int, registry: str) -> str:
    """Data of the transaction ``activateSigner``, with which an announced signer takes over. Anyone may send it.

    Raises:
        SignerUnavailable: the remote signer did not sign.
    """
    acceptance = sign(signer, chain_id, registry, SignerAcceptance(signer.address))
    return contract().call("activateSigner", acceptance)


def rehearse(client: EvmClient, *, sender: str, registry: str, data: str, what: str) -> None:
    """Run a transaction without sending it.

    Raises:
        SendError: the registry refuses it.
        RpcError: the nodes do not answer.
    """
    try:
        client.call("eth_call", {"from": sender, "to": registry, "data": data}, "latest")
    except CallFailed as error:
        raise SendError(f"chain {client.chain.key}: the registry refuses {what}: {_reason(str(error))}") from error


def _read(client: EvmClient, registry: str, function: str) -> Any:
    answer = client.call("eth_call", {"to": registry, "data": contract().call(function)}, "latest")
    return contract().returns(function, answer)[0]


def _reason(text: str) -> str:
    """The name of the contract's error where the node tells its selector, else what the node said."""
    for selector in _SELECTOR.findall(text):
        if (name := contract().error_name(selector.lower())) is not None:
            return name
    return text
