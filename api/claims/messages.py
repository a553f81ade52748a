"""The messages that wallets sign. Each names the service, what is asked for and the time, so its signature is valid for
nothing else."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from api.http.errors import InvalidInput
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
        facts = (
            ("Symbol", claim.symbol),
            ("Chain", chain_text(claim.chain)),
            ("Token", checksum_address(claim.token)),
            ("Wallet", checksum_address(claim.wallet)),
        )
        return self.write("claim the registration of a token", facts, timestamp)

    def write(self, purpose: str, facts: Sequence[tuple[str, str]], timestamp: int) -> str:
        """A message of this service: what the signature is for, the facts it is bound to, and when it was asked for."""
        lines = (("Service", self.service_url), *facts, ("Timestamp", str(timestamp)))
        return "\n".join(
            (
                f"{self.service_name}: {purpose}",
                "",
                "Signing proves that you control this wallet. It sends no transaction and costs nothing.",
                "",
                *(f"{name}: {value}" for name, value in lines),
            )
        )


def chain_text(chain: Chain) -> str:
    """A chain as messages name it."""
    return f"{chain.name} ({chain.chain_id})"


def require_recent(timestamp: int, now: datetime) -> None:
    """Require that a message was asked for within the last minutes.

    Raises:
        InvalidInput: its timestamp is too old, or in the future.
    """
    age = int(now.timestamp()) - timestamp
    if age > MAX_AGE_SECONDS:
        raise InvalidInput("timestamp", f"is older than {MAX_AGE_SECONDS // 60} minutes; ask for a new message")
    if age < -MAX_AHEAD_SECONDS:
        raise InvalidInput("timestamp", "is in the future")
