"""The price of a claim: in dollars from the pricing file, in wei from the price of the native coin."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_CEILING, Decimal, localcontext

from api.claims.errors import PriceUnavailable
from api.claims.messages import Claim
from api.claims.repository import ClaimRepository
from api.fees.pricing import Pricing

NATIVE_PRICE_GOOD_FOR = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Quote:
    """The price of one claim, in dollars."""

    usd: Decimal

    @property
    def is_free(self) -> bool:
        """Whether the claim is free: it is minted with a receipt."""
        return self.usd == 0


async def quote(claim: Claim, pricing: Pricing, repository: ClaimRepository) -> Quote:
    """The price for this wallet. The last owner of an expired registration pays nothing to claim it again."""
    former = await repository.last_expired_owner(claim.chain.chain_id, claim.symbol)
    if former == claim.wallet or pricing.imports_free_on(claim.chain.key):
        return Quote(Decimal(0))
    if former is not None:
        return Quote(pricing.expired_claim_usd)
    return Quote(pricing.total_claim_usd)


async def fee_wei(claim: Claim, price: Quote, repository: ClaimRepository, chain_time: datetime) -> int:
    """The price in the chain's native coin, rounded up to the next base unit.

    Raises:
        PriceUnavailable: there is no price of the native coin, or only an old one.
    """
    if price.is_free:
        return 0
    native = await repository.native_price(claim.chain.chain_id)
    if native is None or native.price_usd <= 0:
        raise PriceUnavailable(f"there is no price of {claim.chain.native_symbol} now")
    if chain_time - native.as_of_time > NATIVE_PRICE_GOOD_FOR:
        raise PriceUnavailable(f"the price of {claim.chain.native_symbol} is too old")
    return in_base_units(price.usd, native.price_usd, claim.chain.native_decimals)


def in_base_units(usd: Decimal, native_usd: Decimal, decimals: int) -> int:
    """Dollars in base units of a coin, rounded up."""
    with localcontext() as context:
        context.prec = 120
        return int((usd * Decimal(10) ** decimals / native_usd).to_integral_value(ROUND_CEILING))
