"""What ``regalia doctor`` finds about this service's signer and the keys of the registries, on any kind of chain."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from api.ops.commands.checks import Finding, Level
from indexer.chains.errors import RpcError
from indexer.contracts.signer import SignerKeyError
from warehouse.domain.chains import Chain


class OpenSigner(Protocol):
    """A signer of any kind of chain."""

    @property
    def address(self) -> object:
        """Its address; as text, as the registry has it."""
        ...

    def close(self) -> None:
        """Close what was opened."""
        ...


@runtime_checkable
class RemoteSigner(Protocol):
    """A signer that another program runs."""

    def answers(self) -> bool:
        """Whether it can be reached."""
        ...


@dataclass(frozen=True, slots=True)
class RegistryKeys:
    """The keys that a registry names.

    Attributes:
        signer: None while it is suspended.
        announced: the next signer.
    """

    signer: str | None
    guardian: str
    announced: str | None


def signing_findings(
    chains: Sequence[Chain],
    *,
    open_signer: Callable[[], OpenSigner],
    read_keys: Callable[[Chain], RegistryKeys],
    advice_if_silent: str,
) -> Iterable[Finding]:
    """Whether the signer can sign, and each registry of these chains accepts what it signs."""
    try:
        signer = open_signer()
    except SignerKeyError as error:
        yield Finding(Level.BROKEN, "signer", str(error), "docs/contracts.md describes the signer")
        return
    with closing(signer):
        if isinstance(signer, RemoteSigner) and not signer.answers():
            message = f"the remote signer of {signer.address} does not answer"
            yield Finding(Level.BROKEN, "signer", message, advice_if_silent)
        for chain in chains:
            try:
                keys = read_keys(chain)
            except RpcError as error:
                message = f"its registry cannot be read: {error}"
                yield Finding(Level.WARNING, chain.key, message, "see the node's finding")
                continue
            yield from _registry_findings(chain, keys, str(signer.address))


def _registry_findings(chain: Chain, keys: RegistryKeys, ours: str) -> Iterable[Finding]:
    yield _signer_of(chain, keys.signer, ours)
    if keys.guardian == keys.signer:
        advice = "hand the guardian over to a key that is kept offline: `regalia guardian announce-guardian`"
        yield Finding(Level.WARNING, chain.key, "the guardian of its registry is the signer itself", advice)
    if keys.announced is not None:
        advice = "if nobody of yours announced it: `regalia guardian cancel-signer`"
        yield Finding(Level.WARNING, chain.key, f"{keys.announced} is announced as the next signer", advice)


def _signer_of(chain: Chain, signer: str | None, ours: str) -> Finding:
    if signer is not None and signer in (ours, ours.lower()):
        return Finding(Level.OK, chain.key, f"its registry accepts what {ours} signs")
    if signer is None:
        message = "the signer of its registry is suspended: no claim can be registered"
    else:
        message = f"the signer of its registry is {signer}, this service's is {ours}: every claim will be refused"
    advice = "restore that key, or have the guardian announce this signer: `regalia guardian announce-signer`"
    return Finding(Level.BROKEN, chain.key, message, advice)
