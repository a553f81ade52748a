"""The message that a claimer signs. It names the service, the claim and the time, so the signature is valid for nothing
else."""

from dataclasses import dataclass

from warehouse.domain.addresses import checksum_address
from warehouse.domain.chains import Chain

MAX_AGE_SECONDS = 600
MAX_AHEAD_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of a symbol for a token by a wallet. Addresses are lower-case, the symbol is upper-case."""

    chain: Chain
    token: str
    symbol: str
    wallet: str


@dataclass(frozen=True, slots=True)
class Messages:
    """Writes the messages of this service."""

    service_name: str
    service_url: str

    def text(self, claim: Claim, timestamp: int) -> str:
        """The message of a claim made at ``timestamp`` (unix seconds)."""
        return "\n".join(
            (
                f"{self.service_name}: claim the registration of a token",
                "",
                "Signing proves that you control this wallet. It sends no transaction and costs nothing.",
                "",
                f"Service: {self.service_url}",
                f"Symbol: {claim.symbol}",
                f"Chain: {claim.chain.name} ({claim.chain.chain_id})",
                f"Token: {checksum_address(claim.token)}",
                f"Wallet: {checksum_address(claim.wallet)}",
                f"Timestamp: {timestamp}",
            )
        )
