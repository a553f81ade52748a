"""GET /registry/info."""

from typing import Any

from fastapi import APIRouter
from pydantic import Field

from api.core.access import ApiKey
from api.core.dependencies import ChainsDep, SettingsDep
from api.core.errors import RouteGroup
from api.core.examples import answered
from api.core.rendering import JsonResponse, Wire, respond

GROUP = RouteGroup(prefix="/api/v2/registry")
GROUPS = (GROUP,)
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

router = APIRouter(prefix="/api/v2/registry", tags=["registry"])


class RegistryInfo(Wire):
    """The protocol and the chains it runs on."""

    success: bool
    protocol: str = Field(examples=[PROTOCOL])
    protocol_version: str = Field(examples=[PROTOCOL_VERSION])
    is_open_crown: bool = Field(description="Whether anyone may claim.")
    supported_chains: list[str] = Field(examples=[["base", "arbitrum"]])


@router.get(
    "/info", response_model=RegistryInfo, responses=answered(("info", _EXAMPLE)) | GROUP.responses(401, 403, 503)
)
async def get_registry_info(access: ApiKey, settings: SettingsDep, chains: ChainsDep) -> JsonResponse:
    """What the registry is, and which chains tokens can be registered on. Good for an hour."""
    info = RegistryInfo(
        success=True,
        protocol=PROTOCOL,
        protocol_version=PROTOCOL_VERSION,
        is_open_crown=settings.open_crown,
        supported_chains=[chain.key for chain in chains.enabled() if "registry" in chain.contracts],
    )
    return respond(info, headers={"Cache-Control": f"private, max-age={CACHE_SECONDS}"})
