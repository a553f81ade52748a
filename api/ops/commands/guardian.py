"""``regalia guardian``: prints or sends the transactions of a registry's guardian. The work on Solana is in
``solana_guardian.py``."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from eth_account.signers.local import LocalAccount
from eth_utils.address import is_address, to_checksum_address

from api.services import Services
from api.settings import load
from indexer.chains.evm.rpc import EvmClient
from indexer.contracts import guarding
from indexer.contracts.registry import contract
from indexer.contracts.sending import send
from indexer.contracts.signer import SignerKeyError, read_key
from warehouse.chains.facts import ChainFactsError
from warehouse.domain.addresses import AddressFormat
from warehouse.domain.chains import Chain

if TYPE_CHECKING:
    from indexer.contracts.solana.signer import StatementSigner

PRIVATE_KEY_NAME = "REGALIA_GUARDIAN_PRIVATE_KEY"
_PATIENCE_SECONDS = 10.0
_TAKE_ADDRESSES = frozenset({"announceSigner", "announceGuardian", "setFactory"})


def show_status(chain_key: str) -> None:
    """Print keys and terms of the chain's registry, and whether this service's signer is the registry's."""
    services = Services.of(load())
    chain = _chain(services, chain_key)
    if chain.address_format is AddressFormat.BASE58:
        from api.ops.commands import solana_guardian  # loads solders, which other chains need not

        solana_guardian.show_status(chain, _solana_signer(services))
        return
    with _registry(chain) as (client, registry):
        state = guarding.read_state(client, registry)
    is_ours = state.signer == services.signer.address.lower()
    print(json.dumps({"registry": registry, **asdict(state), "signer_is_ours": is_ours}))


def call(chain_key: str, function: str, *arguments: Any, submit: bool = False) -> None:
    """Print the guardian's call of a function as an unsigned transaction, or send it."""
    chain = _chain(Services.of(load()), chain_key)
    if chain.address_format is AddressFormat.BASE58:
        from api.ops.commands import solana_guardian  # loads solders, which other chains need not

        solana_guardian.call(chain, function, *arguments, submit=submit)
        return
    if function in _TAKE_ADDRESSES:
        arguments = tuple(map(address, arguments))
    data = contract().call(function, *arguments)
    what = f"{function}({', '.join(str(argument) for argument in arguments)})"
    with _registry(chain) as (client, registry):
        sender = guarding.read_state(client, registry)
        expected = sender.next_guardian if function == "acceptGuardian" else sender.guardian
        guarding.rehearse(client, sender=expected, registry=registry, data=data, what=what)
        if submit:
            _send(client, _guardian(expected), registry, data, what)
        else:
            _print(client, registry, data, what)


def accept_signer(chain_key: str, *, submit: bool = False) -> None:
    """Print or send the acceptance of this service's signer, which the guardian announced. Anyone may send it."""
    services = Services.of(load())
    chain = _chain(services, chain_key)
    if chain.address_format is AddressFormat.BASE58:
        from api.ops.commands import solana_guardian  # loads solders, which other chains need not

        solana_guardian.accept_signer(chain, _solana_signer(services), submit=submit)
        return
    with _registry(chain) as (client, registry):
        data = guarding.accept_signer_calldata(services.signer, client.chain.chain_id, registry)
        what = f"activateSigner({services.signer.address})"
        guarding.rehearse(client, sender=services.signer.address, registry=registry, data=data, what=what)
        if submit:
            _send(client, services.payer, registry, data, what)
        else:
            _print(client, registry, data, what)


def address(text: str) -> str:
    """An address, checksummed.

    Raises:
        SignerKeyError: it is none.
    """
    if not is_address(text):
        raise SignerKeyError(f"{text!r} is not an address")
    return str(to_checksum_address(text))


def _chain(services: Services, chain_key: str) -> Chain:
    chain = services.chains.find(chain_key)
    if chain is None or not chain.enabled or "registry" not in chain.contracts:
        raise ChainFactsError(f"chain {chain_key!r} has no node or no registry in the file of REGALIA_CHAINS")
    return chain


def _solana_signer(services: Services) -> "StatementSigner":
    from indexer.contracts.solana.signing import open_signer

    return open_signer(services.settings)


@contextmanager
def _registry(chain: Chain) -> Iterator[tuple[EvmClient, str]]:
    client = EvmClient(chain, patience_seconds=_PATIENCE_SECONDS)
    try:
        yield client, chain.contracts["registry"]
    finally:
        client.close()


def _guardian(expected: str) -> LocalAccount:
    given = os.environ.get(PRIVATE_KEY_NAME, "").strip()
    if not given:
        raise SignerKeyError(f"{PRIVATE_KEY_NAME} must hold the guardian's key, in hexadecimal, for --submit")
    account = read_key(given, PRIVATE_KEY_NAME)
    if account.address.lower() != expected:
        raise SignerKeyError(f"{PRIVATE_KEY_NAME} is the key of {account.address}, the guardian is {expected}")
    return account


def _send(client: EvmClient, account: LocalAccount, registry: str, data: str, what: str) -> None:
    sent = send(client, account, to=registry, data=data, what=what)
    print(json.dumps({"call": what, "transaction": sent.transaction_hash}))


def _print(client: EvmClient, registry: str, data: str, what: str) -> None:
    unsigned = {"to": to_checksum_address(registry), "data": data, "value": "0x0", "chainId": client.chain.chain_id}
    print(json.dumps({"call": what, **unsigned}))
