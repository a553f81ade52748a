"""GET /registry/info and /registry/fee-caps."""

from typing import Any, Literal

from pydantic import Field

from api.http.dependencies import ChainsDep, PricingDep, SettingsDep
from api.http.examples import success_examples
from api.http.groups import RouteGroup
from api.http.members import ChainKey, Usd
from api.http.rendering import JsonResponse, Number, Wire, respond
from api.security.access import ApiKey
from api.security.scopes import KeyScope

GROUP = RouteGroup(prefix="/api/v2/registry", key_scope=KeyScope.READ)
PROTOCOL = "regalia"
PROTOCOL_VERSION = "1.0.0"
CACHE_SECONDS = 3600

_EXAMPLE: dict[str, Any] = {
    "success": True,
    "protocol": PROTOCOL,
    "protocolVersion": PROTOCOL_VERSION,
    "isOpenCrown": True,
    "supportedChains": ["base", "arbitrum"],
}
_CAPS: dict[str, Any] = {
    "success": True,
    "currency": "USD",
    "claim": {"currentUsd": 25, "maxUsd": 100},
    "create": {"currentUsd": 49, "maxUsd": 200},
    "expiredClaim": {"currentUsd": 15, "maxUsd": 100},
    "whaleMultiplier": {"min": 1, "max": 4},
}

router = GROUP.router(tags=["registry"])


class RegistryInfo(Wire):
    """The protocol and the chains it runs on."""

    success: Literal[True] = Field(description="Always true.")
    protocol: str = Field(examples=[PROTOCOL], description="Identifier of the registry protocol.")
    protocol_version: str = Field(examples=[PROTOCOL_VERSION], description="Its version, by semantic versioning.")
    is_open_crown: bool = Field(description="Whether anyone may claim.")
    supported_chains: list[ChainKey] = Field(
        examples=[["base", "arbitrum"]], description="Keys of the chains on which tokens can be registered."
    )


class MultiplierCap(Wire):
    """Bounds of the multiplier of Ethereum mainnet, which follows its gas price."""

    min: Number = Field(description="The least that it can be.")
    max: Number = Field(description="The most that it can be.")


class FeeCap(Wire):
    """A fee and its cap, in dollars."""

    current_usd: Usd = Field(description="The fee now, in US dollars.")
    max_usd: Usd = Field(description="Most that it can be, in US dollars; a configured price above it is refused.")


class FeeCaps(Wire):
    """Current fees and their caps."""

    success: Literal[True] = Field(description="Always true.")
    currency: Literal["USD"] = Field(description="Currency of the fees.")
    claim: FeeCap = Field(description="Claim of a registration.")
    create: FeeCap = Field(description="Per chain; on Ethereum mainnet times the multiplier.")
    expired_claim: FeeCap = Field(description="Claim of a registration that expired.")
    whale_multiplier: MultiplierCap = Field(description="Multiplier of creation fees on Ethereum mainnet.")


@router.get("/fee-caps", response_model=FeeCaps, responses=success_examples(("caps", _CAPS)))
async def get_fee_caps(access: ApiKey, pricing: PricingDep) -> JsonResponse:
    """The caps of all fees, whatever the prices are set to. May be cached for an hour."""
    caps = pricing.caps
    answer = FeeCaps(
        success=True,
        currency="USD",
        claim=FeeCap(current_usd=pricing.total_claim_usd, max_usd=caps.claim_usd),
        create=FeeCap(current_usd=pricing.create_usd, max_usd=caps.create_usd),
        expired_claim=FeeCap(current_usd=pricing.expired_claim_usd, max_usd=caps.expired_claim_usd),
        whale_multiplier=MultiplierCap(min=pricing.whale.least, max=pricing.whale.most),
    )
    return respond(answer, headers={"Cache-Control": f"private, max-age={CACHE_SECONDS}"})


@router.get("/info", response_model=RegistryInfo, responses=success_examples(("info", _EXAMPLE)))
async def get_registry_info(access: ApiKey, settings: SettingsDep, chains: ChainsDep) -> JsonResponse:
    """The protocol, and the chains on which tokens can be registered. May be cached for an hour."""
    info = RegistryInfo(
        success=True,
        protocol=PROTOCOL,
        protocol_version=PROTOCOL_VERSION,
        is_open_crown=settings.open_crown,
        supported_chains=[chain.key for chain in chains.enabled() if chain.takes_claims],
    )
    return respond(info, headers={"Cache-Control": f"private, max-age={CACHE_SECONDS}"})
