"""Checks of ``regalia doctor`` about the signer and the registries that must know it."""

from collections.abc import Iterable, Sequence
from contextlib import closing

from api.ops.commands.checks import Finding
from api.ops.commands.checks_of_registries import RegistryKeys, signing_findings
from api.ops.commands.nodes import TIMEOUT_SECONDS
from indexer.chains.evm.rpc import EvmClient
from indexer.contracts.guarding import read_state
from indexer.contracts.signer import has_key
from indexer.contracts.signing import open_signer
from warehouse.domain.addresses import AddressFormat
from warehouse.domain.chains import Chain, Chains
from warehouse.settings import EngineSettings

_NONE = "0x" + "00" * 20


def signing(settings: EngineSettings, chains: Chains) -> Iterable[Finding]:
    """Whether the signers can sign, and each registry accepts what they sign. Makes no key."""
    served = [chain for chain in chains.enabled() if chain.can_claim and "registry" in chain.contracts]
    yield from _on_evm(settings, [chain for chain in served if chain.address_format is AddressFormat.HEX])
    if others := [chain for chain in served if chain.address_format is AddressFormat.BASE58]:
        from api.ops.commands.checks_of_solana_signing import solana_signing  # loads solders

        yield from solana_signing(settings, others)


def _on_evm(settings: EngineSettings, chains: Sequence[Chain]) -> Iterable[Finding]:
    if settings.signer_url is None and not has_key(settings.data_dir):
        return ()
    advice = "start it, or correct REGALIA_SIGNER_URL and its certificates; until then no claim can be built"
    return signing_findings(chains, open_signer=lambda: open_signer(settings), read_keys=_keys, advice_if_silent=advice)


def _keys(chain: Chain) -> RegistryKeys:
    with closing(EvmClient(chain, timeout_seconds=TIMEOUT_SECONDS, patience_seconds=0)) as client:
        state = read_state(client, chain.contracts["registry"])
    in_force, announced = (None if key == _NONE else key for key in (state.signer, state.next_signer))
    return RegistryKeys(signer=in_force, guardian=state.guardian, announced=announced)
