"""The message by which the controller of a token names its successor."""

from dataclasses import dataclass

from api.claims.messages import Claim, Messages, chain_text
from warehouse.domain.addresses import checksum_address
from warehouse.domain.chains import Chain


@dataclass(frozen=True, slots=True)
class Consent:
    """The wallet that controls ``senior`` says that ``token`` replaces it. Addresses are lower-case."""

    chain: Chain
    senior: str
    token: str
    wallet: str

    @property
    def control(self) -> Claim:
        """What the wallet has to prove: control of the senior token. The successor's word proves nothing."""
        return Claim(chain=self.chain, token=self.senior, symbol="", wallet=self.wallet)


def consent_text(messages: Messages, consent: Consent, timestamp: int) -> str:
    """The message of a consent made at ``timestamp`` (unix seconds)."""
    facts = (
        ("Chain", chain_text(consent.chain)),
        ("Your token", checksum_address(consent.senior)),
        ("Its successor", checksum_address(consent.token)),
        ("Wallet", checksum_address(consent.wallet)),
    )
    return messages.write("name the successor of a token", facts, timestamp)
