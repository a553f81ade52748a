"""Consents to migrations. Repeating a consent changes nothing."""

from dataclasses import dataclass
from datetime import UTC, datetime

from api.claims.eligibility import Eligibility
from api.claims.errors import ClaimUnauthorized, unverified_if_unanswered
from api.claims.messages import Messages, require_recent
from api.claims.methods import CONTROLLERS
from api.claims.schemas import ChainKind
from api.clock import Clock
from api.consents.messages import Consent, consent_text
from api.http.errors import InvalidInput
from api.security.signatures import is_signed_by, signed_digest
from warehouse.store import Store


@dataclass(frozen=True, slots=True)
class ConsentRecord:
    """A consent of the store."""

    wallet: str
    verification_method: str
    signed_at: datetime


@dataclass(frozen=True, slots=True)
class ConsentService:
    """Checks and keeps consents."""

    store: Store
    eligibility: Eligibility
    messages: Messages
    clock: Clock

    def message(self, consent: Consent) -> tuple[str, int]:
        """The message to sign, and its timestamp.

        Raises:
            InvalidInput: both tokens are the same.
        """
        _require_two_tokens(consent)
        timestamp = int(self.clock.now().timestamp())
        return consent_text(self.messages, consent, timestamp), timestamp

    async def give(self, consent: Consent, signature: bytes, timestamp: int) -> ConsentRecord:
        """Keep the consent, and have the successor judged again.

        Raises:
            InvalidInput: both tokens are the same, or the timestamp is too old or in the future.
            ClaimUnauthorized: the signature is wrong, or the wallet is not the senior token's deployer, owner or admin.
            TokenUnverified: the chain or the warehouse cannot answer now.
        """
        _require_two_tokens(consent)
        require_recent(timestamp, self.clock.now())
        digest = signed_digest(consent_text(self.messages, consent, timestamp))
        with unverified_if_unanswered():
            reader = self.eligibility.reader(consent.control)
            if not await is_signed_by(consent.wallet, digest, signature, reader):
                raise ClaimUnauthorized("signature: is not the wallet's signature of this consent's message")
            reading = await self.eligibility.read(consent.control)
            control = await self.eligibility.control(consent.control, reading, CONTROLLERS[ChainKind.EVM])
        if control.method is None:
            raise ClaimUnauthorized(
                "walletAddress: the chain does not show that this wallet is the senior token's deployer, owner or admin"
            )
        pair = {"chain_id": consent.chain.chain_id, "senior_address": consent.senior, "address": consent.token}
        made = {
            **pair,
            "wallet": consent.wallet,
            "verification_method": control.method,
            "signed_at": datetime.fromtimestamp(timestamp, UTC),
        }
        async with self.store.transaction() as transaction:
            await transaction.execute("consents/save", made)
            found = await transaction.row("consents/find", pair, ConsentRecord)
        assert found is not None  # noqa: S101 - it was written just now, or before
        return found


def _require_two_tokens(consent: Consent) -> None:
    if consent.senior == consent.token:
        raise InvalidInput("tokenAddress", "must be another token than seniorAddress")
