"""Checks of ``regalia doctor`` about the signer and the registries that must know it."""

from collections.abc import Iterable
from contextlib import closing

from api.ops.commands.checks import Finding, Level
from api.ops.commands.nodes import TIMEOUT_SECONDS
from indexer.chains.errors import RpcError
from indexer.chains.evm.rpc import EvmClient
from indexer.contracts.guarding import RegistryState, read_state
from indexer.contracts.remote_signer import RemoteSigner
from indexer.contracts.signer import Signer, SignerKeyError, has_key
from indexer.contracts.signing import open_signer
from warehouse.domain.chains import Chain, Chains
from warehouse.settings import EngineSettings

_NONE = "0x" + "00" * 20


def signing(settings: EngineSettings, chains: Chains) -> Iterable[Finding]:
    """Whether the signer can sign, and each registry accepts what it signs. Makes no key."""
    if settings.signer_url is None and not has_key(settings.data_dir):
        return
    try:
        signer = open_signer(settings)
    except SignerKeyError as error:
        yield Finding(Level.BROKEN, "signer", str(error), "docs/contracts.md describes the signer")
        return
    with closing(signer):
        if isinstance(signer, RemoteSigner) and not signer.answers():
            advice = "start it, or correct REGALIA_SIGNER_URL and its certificates; until then no claim can be built"
            yield Finding(Level.BROKEN, "signer", f"the remote signer of {signer.address} does not answer", advice)
        for chain in chains.enabled():
            if chain.can_claim and "registry" in chain.contracts:
                yield from _registry(chain, signer)


def _registry(chain: Chain, signer: Signer) -> Iterable[Finding]:
    try:
        with closing(EvmClient(chain, timeout_seconds=TIMEOUT_SECONDS, patience_seconds=0)) as client:
            state = read_state(client, chain.contracts["registry"])
    except RpcError as error:
        yield Finding(Level.WARNING, chain.key, f"its registry cannot be read: {error}", "see the node's finding")
        return
    yield _signer_of(chain, state, signer.address)
    if state.guardian == state.signer:
        advice = "hand the guardian over to a key that is kept offline: `regalia guardian announce-guardian`"
        yield Finding(Level.WARNING, chain.key, "the guardian of its registry is the signer itself", advice)
    if state.next_signer != _NONE:
        advice = "if nobody of yours announced it: `regalia guardian cancel-signer`"
        yield Finding(Level.WARNING, chain.key, f"{state.next_signer} is announced as the next signer", advice)


def _signer_of(chain: Chain, state: RegistryState, ours: str) -> Finding:
    if state.signer == ours.lower():
        return Finding(Level.OK, chain.key, f"its registry accepts what {ours} signs")
    if state.signer == _NONE:
        message = "the signer of its registry is suspended: no claim can be registered"
    else:
        message = f"the signer of its registry is {state.signer}, this service's is {ours}: every claim will be refused"
    advice = "restore that key, or have the guardian announce this signer: `regalia guardian announce-signer`"
    return Finding(Level.BROKEN, chain.key, message, advice)
