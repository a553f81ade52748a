"""Checks of funds: the balance of a wallet as a node tells it, attested by the service for an hour. Nothing is held."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from api.chains import ChainReaders
from api.claims.errors import SigningUnavailable
from api.claims.signing import Signing
from api.deals.currencies import Currency
from api.deals.errors import ProviderUnavailable
from api.deals.repository import DealRepository
from api.deals.statements import Signable, funds_check
from api.http.errors import InvalidInput
from api.http.rendering import dumps
from indexer.chains.errors import RpcError
from indexer.chains.holding import WalletHolding
from warehouse.domain.addresses import checksum_address
from warehouse.domain.chains import ZERO_ADDRESS, Chain

GOOD_FOR: Final = timedelta(hours=1)
FULL_PERCENT: Final = 100
REDUCED_PERCENT: Final = 80
REDUCED_PLANS: Final = frozenset({"partner", "enterprise"})


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be shown: that a wallet holds what an offer is worth. ``deal_id``: filed for that deal."""

    account_id: UUID
    plan: str
    wallet: str
    chain: Chain
    currency: Currency
    amount_raw: int
    deal_id: UUID | None = None

    @property
    def required_percent(self) -> int:
        """Share of the offer that must be there: paying partners prove less."""
        return REDUCED_PERCENT if self.plan in REDUCED_PLANS else FULL_PERCENT

    @property
    def required_raw(self) -> int:
        """The same in base units, rounded up."""
        return -(-self.amount_raw * self.required_percent // FULL_PERCENT)


@dataclass(frozen=True, slots=True)
class Checked:
    """The outcome of a check. ``signature`` is None where the funds do not suffice."""

    balance_raw: int
    required_raw: int
    required_percent: int
    block: int
    checked_at: datetime
    funded_percent: int
    statement: Mapping[str, Any] | None
    statement_hash: str | None
    signature: str | None

    @property
    def shortfall_raw(self) -> int:
        """What is missing, in base units."""
        return max(0, self.required_raw - self.balance_raw)


@dataclass(frozen=True, slots=True)
class Funds:
    """Checks funds and keeps what was found."""

    repository: DealRepository
    readers: ChainReaders
    signing: Signing

    async def check(self, asked: Asked, now: datetime) -> Checked:
        """Read the balance, attest it if it suffices, and keep the check.

        Raises:
            InvalidInput: the chain has no node here, or there is no token at the currency's address.
            ProviderUnavailable: no node answered as it must, or the signer does not sign now.
        """
        holding = await self._read(asked)
        funded = min(FULL_PERCENT, holding.balance_raw * FULL_PERCENT // asked.amount_raw)
        verified = holding.balance_raw >= asked.required_raw
        signable = _statement(asked, holding, now) if verified else None
        signature = None if signable is None else await self._sign(signable)
        given = {
            "account_id": asked.account_id,
            "deal_id": asked.deal_id,
            "wallet": asked.wallet,
            "chain_id": asked.chain.chain_id,
            "currency_address": asked.currency.address,
            "amount_raw": asked.amount_raw,
            "required_raw": asked.required_raw,
            "balance_raw": holding.balance_raw,
            "funded_percent": funded,
            "verified": verified,
            "block_number": holding.block,
            "statement": None if signable is None else dumps(_exact(signable)).decode(),
            "statement_hash": None if signable is None else signable.message_hash,
            "signature": signature,
            "checked_at": now,
        }
        async with self.repository.store.transaction() as transaction:
            await transaction.execute("deals/add_funds_check", given)
        return Checked(
            balance_raw=holding.balance_raw,
            required_raw=asked.required_raw,
            required_percent=asked.required_percent,
            block=holding.block,
            checked_at=now,
            funded_percent=funded,
            statement=None if signable is None else _exact(signable),
            statement_hash=None if signable is None else signable.message_hash,
            signature=signature,
        )

    async def covering(
        self, account_id: UUID, wallet: str, chain: Chain, currency: Currency, amount_raw: int, now: datetime
    ) -> int | None:
        """The share in percent that a passing check of the last hour proved of an offer; None: no check covers it."""
        row = await self.repository.store.row(
            "deals/find_funds_check",
            {
                "account_id": account_id,
                "wallet": wallet,
                "chain_id": chain.chain_id,
                "currency_address": currency.address,
                "amount_raw": amount_raw,
                "since": now - GOOD_FOR,
            },
        )
        return None if row is None else row["funded_percent"]

    async def _read(self, asked: Asked) -> WalletHolding:
        chain, currency = asked.chain, asked.currency
        if not chain.enabled:
            raise InvalidInput("chainId", f"{chain.name} is not read here: it has no node")
        try:
            if currency.address == ZERO_ADDRESS:
                return await self.readers.native_holding(chain, asked.wallet)
            found = await self.readers.holding(chain, currency.address, asked.wallet)
        except RpcError as error:
            raise ProviderUnavailable(f"{chain.name} cannot be read now, try again") from error
        if found is None:
            raise InvalidInput("currency", f"there is no token at {currency.address} on {chain.name}")
        return found

    async def _sign(self, signable: Signable) -> str:
        try:
            return "0x" + (await self.signing.sign_document(signable.document)).hex()
        except SigningUnavailable as error:
            raise ProviderUnavailable("the check could not be signed now, try again") from error


def _statement(asked: Asked, holding: WalletHolding, now: datetime) -> Signable:
    return funds_check(
        wallet=checksum_address(asked.wallet),
        chain_id=asked.chain.chain_id,
        currency=checksum_address(asked.currency.address),
        offer_amount=asked.amount_raw,
        required_amount=asked.required_raw,
        block=holding.block,
        timestamp=int(now.timestamp()),
    )


def _exact(signable: Signable) -> dict[str, object]:
    """The document with amounts as text: readers of JSON round large numbers."""
    message = signable.document["message"]
    amounts = {name: str(message[name]) for name in ("offerAmount", "requiredAmount")}
    return {**signable.document, "message": {**message, **amounts}}
