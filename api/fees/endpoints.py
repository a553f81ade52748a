"""GET /config/fees."""

from typing import Any

from pydantic import Field

from api.http.dependencies import GasDep, PricingDep
from api.http.examples import success_examples
from api.http.groups import RouteGroup
from api.http.members import Count, Timestamp, Usd
from api.http.rendering import JsonResponse, Number, Wire, respond
from api.http.times import timestamp
from api.security.access import ApiKey
from api.security.scopes import KeyScope

GROUP = RouteGroup(prefix="/api/v2/config", key_scope=KeyScope.READ)
CACHE_SECONDS = 300

router = GROUP.router(tags=["fees"])


_EXAMPLE: dict[str, Any] = {
    "crownFee": 25,
    "createFee": 49,
    "whaleMultiplier": 1.5,
    "whaleMultiplierAsOf": "2026-01-02T12:00:00.000Z",
    "linkPrice": 0,
    "expiredClaimPrice": 15,
    "bundles": {
        "duo": {"chains": 2, "price": 88, "savings": 10},
        "tri": {"chains": 3, "price": 125, "savings": 22},
        "quad": {"chains": 4, "price": 159, "savings": 37},
        "allChain": {"chains": 6, "price": 219, "savings": 75},
        "allChainEth": {"chains": 7, "price": 269, "savings": 98.5},
    },
    "subscriptionTiers": {"pro": {"monthly": 29, "yearly": 290}},
}


class BundlePrice(Wire):
    """Several chains at once."""

    chains: Count = Field(description="How many chains.")
    price: Usd = Field(description="Price in US dollars.")
    savings: Usd = Field(description="Saved over single prices, in US dollars.")


class SubscriptionPrice(Wire):
    """What a plan costs, in dollars."""

    monthly: Usd = Field(description="For a month, in US dollars.")
    yearly: Usd = Field(description="For a year, in US dollars.")


class FeeSchedule(Wire):
    """All fees, in dollars."""

    crown_fee: Usd = Field(examples=[25], description="Claim of a registration, in US dollars.")
    create_fee: Usd = Field(description="Creation of a token per chain, in US dollars.")
    whale_multiplier: Number = Field(description="Price of creation on Ethereum mainnet relative to other chains.")
    whale_multiplier_as_of: Timestamp | None = Field(
        description="When the gas price behind the multiplier was read; null if the configured multiplier applies."
    )
    link_price: Usd = Field(description="Linking is automatic and free.")
    expired_claim_price: Usd = Field(description="Claim of a registration that expired, in US dollars.")
    bundles: dict[str, BundlePrice] = Field(description="Creation on several chains at once, by name.")
    subscription_tiers: dict[str, SubscriptionPrice] = Field(description="Subscriptions, by plan.")


@router.get("/fees", response_model=FeeSchedule, responses=success_examples(("fees", _EXAMPLE)))
async def get_fees(access: ApiKey, pricing: PricingDep, gas: GasDep) -> JsonResponse:
    """The current fee schedule. May be cached for five minutes."""
    reading = await gas.read()
    whale = pricing.whale_at(None if reading is None else reading.price_wei)
    fees = FeeSchedule(
        crown_fee=pricing.total_claim_usd,
        create_fee=pricing.create_usd,
        whale_multiplier=whale,
        whale_multiplier_as_of=None if reading is None else timestamp(reading.read_at),
        link_price=pricing.link_usd,
        expired_claim_price=pricing.expired_claim_usd,
        bundles={
            name: BundlePrice(chains=bundle.chains, price=bundle.price_usd, savings=pricing.savings_usd(bundle, whale))
            for name, bundle in pricing.bundles.items()
        },
        subscription_tiers={
            name: SubscriptionPrice(monthly=plan.monthly_usd, yearly=plan.yearly_usd)
            for name, plan in pricing.subscriptions.items()
        },
    )
    return respond(fees, headers={"Cache-Control": f"private, max-age={CACHE_SECONDS}"})
