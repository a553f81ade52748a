"""POST /verify/symbol."""

from typing import Any

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from api.claims.inputs import Text
from api.http.dependencies import ChainsDep, MajorsDep, StoreDep
from api.http.examples import TOKEN, success_examples
from api.http.groups import RouteGroup
from api.http.rendering import JsonResponse, Wire, respond
from api.http.routes import BodyRoute
from api.security.access import ApiKey
from api.symbols.service import SOLANA_LONGEST, SymbolChecker

GROUP = RouteGroup(prefix="/api/v2/verify")
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

    compatible: bool


class CrossChainCompatibility(Wire):
    """Where the symbol can be used."""

    solana: Compatibility
    evm: Compatibility


class SymbolVerdict(Wire):
    """The verdict on a symbol; only the optional fields that apply are present."""

    success: bool
    symbol: str
    status: str = Field(description="allowed, warning, og_required or blocked", examples=["allowed"])
    blocked_reason: str | None = None
    canonical_asset: dict[str, Any] | None = None
    warning_message: str | None = None
    requires_acknowledgment: bool
    requires_og_verification: bool
    cross_chain_compatibility: CrossChainCompatibility | None = None


@router.post(
    "/symbol",
    response_model=SymbolVerdict,
    response_model_exclude_none=True,
    responses=success_examples(("allowed", _ALLOWED), ("warning", _WARNING), ("blocked", _BLOCKED)),
)
async def verify_symbol(
    body: SymbolRequest, access: ApiKey, majors: MajorsDep, chains: ChainsDep, store: StoreDep
) -> JsonResponse:
    """Whether a symbol may be used: allowed, in use (`warning`), a well-known coin's (`og_required`), or `blocked`."""
    verdict = await SymbolChecker(majors, chains, store).check(body.symbol)
    compatibility = None
    if verdict.status != "blocked":
        compatibility = CrossChainCompatibility(
            solana=Compatibility(compatible=len(verdict.symbol) <= SOLANA_LONGEST), evm=Compatibility(compatible=True)
        )
    return respond(
        SymbolVerdict(
            success=True,
            symbol=verdict.symbol,
            status=verdict.status,
            blocked_reason=verdict.blocked_reason,
            canonical_asset=None if verdict.canonical_asset is None else dict(verdict.canonical_asset),
            warning_message=verdict.warning_message,
            requires_acknowledgment=verdict.status == "warning",
            requires_og_verification=verdict.status == "og_required",
            cross_chain_compatibility=compatibility,
        ),
        omit_none=True,
    )
