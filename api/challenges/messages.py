"""The message that a challenger signs, and what it is bound to."""

from dataclasses import dataclass

from api.claims.messages import Claim, Messages, chain_text
from api.registrations.repository import RegistrationRecord
from warehouse.domain.addresses import checksum_address
from warehouse.domain.chains import Chain


@dataclass(frozen=True, slots=True)
class Challenge:
    """A challenge of a registration by the wallet that controls ``token``. Addresses are lower-case."""

    registration: RegistrationRecord
    chain: Chain
    token: str
    wallet: str

    @property
    def control(self) -> Claim:
        """What the wallet has to prove: control of its own token, as for a claim."""
        return Claim(chain=self.chain, token=self.token, symbol=self.registration.symbol, wallet=self.wallet)


def challenge_text(messages: Messages, challenge: Challenge, timestamp: int) -> str:
    """The message of a challenge made at ``timestamp`` (unix seconds)."""
    registration = challenge.registration
    facts = (
        ("Chain", chain_text(challenge.chain)),
        ("Registration", f"{registration.token_id} ({registration.symbol})"),
        ("Registered token", checksum_address(registration.token_address)),
        ("Minted by", registration.transaction_hash),
        ("Your token", checksum_address(challenge.token)),
        ("Wallet", checksum_address(challenge.wallet)),
    )
    return messages.write("challenge a registration", facts, timestamp)
