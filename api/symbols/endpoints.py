"""POST /verify/symbol."""

from typing import Any, Literal

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from api.claims.inputs import Text
from api.http.dependencies import ChainsDep, StoreDep, SymbolStatesDep
from api.http.examples import TOKEN, success_examples
from api.http.groups import RouteGroup
from api.http.members import Address, ChainKey, ChainNumber, Omittable, Symbol
from api.http.rendering import JsonResponse, Wire, respond
from api.http.routes import BodyRoute
from api.security.access import ApiKey
from api.security.scopes import KeyScope
from api.symbols.service import SOLANA_LONGEST, SymbolCheck, SymbolChecker

GROUP = RouteGroup(prefix="/api/v2/verify", key_scope=KeyScope.READ)
router = GROUP.router(tags=["symbols"], route_class=BodyRoute)


_COMPATIBLE = {"solana": {"compatible": True}, "evm": {"compatible": True}}
_ALLOWED: dict[str, Any] = {
    "success": True,
    "symbol": "PEPE",
    "status": "allowed",
    "requiresAcknowledgment": False,
    "requiresOgVerification": False,
    "crossChainCompatibility": _COMPATIBLE,
}
_WARNING: dict[str, Any] = {
    **_ALLOWED,
    "status": "warning",
    "canonicalAsset": {"symbol": "PEPE", "chainId": 8453, "chain": "base", "address": TOKEN},
    "warningMessage": "PEPE is registered already; on that chain it cannot be registered again.",
    "requiresAcknowledgment": True,
}
_BLOCKED: dict[str, Any] = {
    "success": True,
    "symbol": "PE PE",
    "status": "blocked",
    "blockedReason": "invalid characters: letters and digits, and at least one letter",
    "requiresAcknowledgment": False,
    "requiresOgVerification": False,
}


class SymbolRequest(Wire):
    """The symbol to check."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        frozen=True,
        extra="forbid",
        json_schema_extra={"examples": [{"symbol": "PEPE"}]},
    )
    symbol: Text = Field(description="1 to 12 letters or digits; anything else is `blocked`.")


class Compatibility(Wire):
    """Whether the symbol can be used there."""

    compatible: bool = Field(description="Whether every token there can bear the symbol.")


class CrossChainCompatibility(Wire):
    """Where the symbol can be used."""

    solana: Compatibility = Field(
        description="On Solana: 10 characters at most, which is what Metaplex's metadata hold. A mint of Token-2022 "
        "can bear a longer symbol and have it registered."
    )
    evm: Compatibility = Field(description="On EVM chains.")


class CanonicalAsset(Wire):
    """The coin or token that a symbol is known for."""

    symbol: Symbol = Field(description="Its symbol.")
    chain_id: ChainNumber
    chain: ChainKey | None = Field(description="Key of the chain; null for a chain that is not served.")
    address: Address | None = Field(description="Its address; null for a native coin.")


class SymbolVerdict(Wire):
    """The verdict on a symbol; only the optional fields that apply are present."""

    success: Literal[True] = Field(description="Always true.")
    symbol: str = Field(description="The symbol as it was read, in upper case.", examples=["PEPE"])
    status: SymbolCheck = Field(description="Whether the symbol may be used.", examples=["allowed"])
    blocked_reason: Omittable[str] = Field(default=None, description="Why it is blocked.")
    canonical_asset: Omittable[CanonicalAsset] = Field(default=None, description="What the symbol is known for.")
    warning_message: Omittable[str] = Field(default=None, description="What to know before using it.")
    requires_acknowledgment: bool = Field(description="Whether a user should confirm the warning.")
    requires_og_verification: bool = Field(
        description="True for `og_required`. The service has no such verification: every claim is refused."
    )
    cross_chain_compatibility: Omittable[CrossChainCompatibility] = Field(
        default=None, description="Where the symbol is valid; absent if it is blocked."
    )


@router.post(
    "/symbol",
    response_model=SymbolVerdict,
    responses=success_examples(("allowed", _ALLOWED), ("warning", _WARNING), ("blocked", _BLOCKED)),
)
async def verify_symbol(
    body: SymbolRequest, access: ApiKey, states: SymbolStatesDep, chains: ChainsDep, store: StoreDep
) -> JsonResponse:
    """Whether a symbol may be used: allowed, in use (`warning`), a well-known coin's (`og_required`), or `blocked`."""
    verdict = await SymbolChecker(states.rules, chains, store).check(body.symbol)
    compatibility = None
    if verdict.status is not SymbolCheck.BLOCKED:
        compatibility = CrossChainCompatibility(
            solana=Compatibility(compatible=len(verdict.symbol) <= SOLANA_LONGEST), evm=Compatibility(compatible=True)
        )
    return respond(
        SymbolVerdict(
            success=True,
            symbol=verdict.symbol,
            status=verdict.status,
            blocked_reason=verdict.blocked_reason,
            canonical_asset=verdict.canonical_asset,
            warning_message=verdict.warning_message,
            requires_acknowledgment=verdict.status is SymbolCheck.WARNING,
            requires_og_verification=verdict.status is SymbolCheck.OG_REQUIRED,
            cross_chain_compatibility=compatibility,
        ),
    )
