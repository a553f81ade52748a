"""Rules for a sign-in message: it must be for this service and this time."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from api.auth import grammar
from api.auth.grammar import Malformed, Origin
from api.auth.messages import SignIn, times
from api.http.errors import InvalidInput
from warehouse.domain.chains import Chain, Chains

AHEAD = timedelta(seconds=60)
"""How far a wallet's clock may be ahead of ours in ``Issued At``."""
FIELD = "message"
_CLUSTERS = {
    "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp": ("mainnet", "mainnet-beta", "solana:mainnet"),
    "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1": ("devnet", "solana:devnet"),
    "solana:4uhcVJyU9pJkvQyS88uRDiswHScCKQY3": ("testnet", "solana:testnet"),
}
"""What wallets call the public clusters, by CAIP-2 id."""
_LOCAL_CLUSTER = ("localnet", "solana:localnet")


@dataclass(frozen=True, slots=True)
class ServiceUrls:
    """The public URLs of the site that users sign in to and of the API."""

    site: Origin
    api: Origin
    site_url: str

    @classmethod
    def of(cls, site_url: str, api_url: str) -> "ServiceUrls":
        """Parse the two public URLs."""
        return cls(_origin(site_url), _origin(api_url), site_url)

    def accepts_domain(self, scheme: str | None, domain: str) -> bool:
        """Whether a message's domain is the site's host and port. The host without a port is accepted too; another
        port is not, nor the scheme's default port for a site that has one of its own."""
        try:
            found = grammar.origin(scheme or self.site.scheme, domain)
            _, _, written_port = grammar.authority(domain)
        except Malformed:
            return False
        return found == self.site or (written_port is None and found == replace(self.site, port=None))

    def accepts_uri(self, text: str) -> bool:
        """Whether a URI is within the site or the API. A URI without a port is at its scheme's default port."""
        scheme, authority = grammar.uri(text)
        try:
            found = grammar.origin(scheme, authority or "")
        except Malformed:
            return False
        return found in (self.site, self.api)

    @property
    def domain(self) -> str:
        """The domain that a message must name."""
        return self.site.host if self.site.port is None else f"{self.site.host}:{self.site.port}"


def check(message: SignIn, urls: ServiceUrls, now: datetime) -> None:
    """Check domain, URI, expiration and not-before as EIP-4361 requires.

    Raises:
        InvalidInput: the message is for another service, or not valid now.
    """
    if not urls.accepts_domain(message.scheme, message.domain):
        raise InvalidInput(FIELD, f"the domain must be {urls.domain}")
    if message.uri is not None and not urls.accepts_uri(message.uri):
        raise InvalidInput(FIELD, f"URI must be under {urls.site_url}")
    named = times(message)
    if (ends := named.get("Expiration Time")) is not None and ends <= now:
        raise InvalidInput(FIELD, "Expiration Time has passed")
    if (begins := named.get("Not Before")) is not None and now < begins:
        raise InvalidInput(FIELD, "Not Before is in the future")


def require_issued(message: SignIn, now: datetime) -> None:
    """Require that Issued At, if present, is not in the future. Only the nonce limits its age, so a wallet
    with a slow clock can sign in.

    Raises:
        InvalidInput: it is in the future.
    """
    issued = times(message).get("Issued At")
    if issued is not None and issued > now + AHEAD:
        raise InvalidInput(FIELD, "Issued At is in the future")


def evm_chain(message: SignIn, chains: Chains) -> Chain:
    """The chain of an Ethereum message. It must be a known chain; it needs no node.

    Raises:
        InvalidInput: the chain is unknown.
    """
    chain = chains.by_id(int(message.chain or "0"))
    if chain is None or not chain.has_eip155_id:
        raise InvalidInput(FIELD, f"Chain ID {message.chain} is not a chain served here")
    return chain


def require_solana_chain(message: SignIn, chains: Chains) -> None:
    """Check that a Solana message names the cluster that is served here, if it names a chain.

    Raises:
        InvalidInput: it names another chain.
    """
    solana = chains.by_key["solana"]
    names = _CLUSTERS.get(solana.caip2, _LOCAL_CLUSTER)
    if message.chain is not None and message.chain not in (*names, solana.caip2, str(solana.chain_id)):
        raise InvalidInput(FIELD, f"Chain ID must be {names[0]}")


def _origin(url: str) -> Origin:
    scheme, authority = grammar.uri(url)
    return grammar.origin(scheme, authority or "")
