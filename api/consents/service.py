"""Consents to migrations. Repeating a consent changes nothing."""

from dataclasses import dataclass
from datetime import UTC, datetime

from api.claims.controllers import Controllers
from api.claims.errors import ClaimUnauthorized, unverified_if_unanswered
from api.claims.messages import Messages, require_recent
from api.clock import Clock
from api.consents.messages import Consent, consent_text
from api.http.errors import InvalidInput
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
    controllers: Controllers
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
            ClaimUnauthorized: the signature is wrong, or the wallet does not run the senior token.
            TokenUnverified: the chain or the warehouse cannot answer now.
        """
        _require_two_tokens(consent)
        require_recent(timestamp, self.clock.now())
        text = consent_text(self.messages, consent, timestamp)
        with unverified_if_unanswered():
            if not await self.controllers.is_signed(consent.control, text, signature):
                raise ClaimUnauthorized("signature: is not the wallet's signature of this consent's message")
            _, control = await self.controllers.control(consent.control)
        if control.method is None:
            raise ClaimUnauthorized(
                "walletAddress: the chain does not show that this wallet is the senior token's deployer, owner or "
                "admin, nor, on Solana, its mint or update authority"
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
