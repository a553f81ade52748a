"""What ``regalia doctor`` finds about the keys of a registry, on any kind of chain."""

from collections.abc import Iterable

from api.ops.commands.checks import Finding, Level
from indexer.chains.errors import RpcError
from warehouse.domain.chains import Chain


def unreadable(chain: Chain, error: RpcError) -> Finding:
    """The chain's registry could not be read."""
    return Finding(Level.WARNING, chain.key, f"its registry cannot be read: {error}", "see the node's finding")


def registry_findings(
    chain: Chain, *, signer: str | None, ours: str, guardian: str, announced: str | None
) -> Iterable[Finding]:
    """What a registry says of its keys: the signer in force (None while it is suspended), the guardian and the
    announced signer."""
    yield _signer_of(chain, signer, ours)
    if guardian == signer:
        advice = "hand the guardian over to a key that is kept offline: `regalia guardian announce-guardian`"
        yield Finding(Level.WARNING, chain.key, "the guardian of its registry is the signer itself", advice)
    if announced is not None:
        advice = "if nobody of yours announced it: `regalia guardian cancel-signer`"
        yield Finding(Level.WARNING, chain.key, f"{announced} is announced as the next signer", advice)


def _signer_of(chain: Chain, signer: str | None, ours: str) -> Finding:
    if signer is not None and signer in (ours, ours.lower()):
        return Finding(Level.OK, chain.key, f"its registry accepts what {ours} signs")
    if signer is None:
        message = "the signer of its registry is suspended: no claim can be registered"
    else:
        message = f"the signer of its registry is {signer}, this service's is {ours}: every claim will be refused"
    advice = "restore that key, or have the guardian announce this signer: `regalia guardian announce-signer`"
    return Finding(Level.BROKEN, chain.key, message, advice)
