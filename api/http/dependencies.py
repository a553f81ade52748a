"""Shared parts that endpoints ask for by type: ``store: StoreDep``.

All dependencies are coroutines, though none waits: FastAPI runs plain functions in threads, which costs more than most
requests do.
"""

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Depends, Request

from api.apps.catalogue import Catalogue
from api.chains import ChainReaders
from api.clock import Clock
from api.domains.lookups import TextLookups
from api.fees.gas import MainnetGas
from api.fees.pricing import Pricing
from api.health.service import Readiness
from api.heartbeats.repository import AtRiskMemory
from api.http.metrics import Metrics
from api.limits.addresses import client_ip
from api.metadata.service import Metadata
from api.outbound.destinations import Address
from api.public.service import PublicReads
from api.search.service import SearchService
from api.security.jwt import Tokens
from api.services import Services, services_of
from api.settings import ApiSettings
from api.symbols.states import SymbolStates
from api.tokenlists.service import TokenListService
from api.tokenlists.signing import Signatures
from api.tokens.service import TokenService
from api.warehouse import WarehouseReader
from warehouse.domain.chains import Chains
from warehouse.domain.majors import Majors
from warehouse.store import Store


def part(choose: Callable[[Services], object]) -> Any:
    """A dependency on a part of the application's services."""

    async def give(request: Request) -> object:
        return choose(services_of(request))

    return Depends(give)


ServicesDep = Annotated[Services, part(lambda services: services)]
SettingsDep = Annotated[ApiSettings, part(lambda services: services.settings)]
StoreDep = Annotated[Store, part(lambda services: services.store)]
WarehouseDep = Annotated[WarehouseReader, part(lambda services: services.warehouse)]
ReadersDep = Annotated[ChainReaders, part(lambda services: services.readers)]
ChainsDep = Annotated[Chains, part(lambda services: services.chains)]
SymbolStatesDep = Annotated[SymbolStates, part(lambda services: services.symbol_states)]
MajorsDep = Annotated[Majors, part(lambda services: services.majors)]
ClockDep = Annotated[Clock, part(lambda services: services.clock)]
MetricsDep = Annotated[Metrics, part(lambda services: services.metrics)]
PricingDep = Annotated[Pricing, part(lambda services: services.pricing.current())]
TokensDep = Annotated[Tokens, part(lambda services: services.tokens)]
TextLookupsDep = Annotated[TextLookups, part(lambda services: services.text_lookups)]
CatalogueDep = Annotated[Catalogue, part(lambda services: services.apps)]
MetadataDep = Annotated[Metadata, part(lambda services: services.metadata)]
ReadinessDep = Annotated[Readiness, part(lambda services: services.readiness)]
SearchDep = Annotated[SearchService, part(lambda services: services.search)]
TokenLookupsDep = Annotated[TokenService, part(lambda services: services.token_lookups)]
TokenListDep = Annotated[TokenListService, part(lambda services: services.token_list)]
ListSignaturesDep = Annotated[Signatures, part(lambda services: services.token_list_signatures)]
PublicReadsDep = Annotated[PublicReads, part(lambda services: services.public_reads)]
GasDep = Annotated[MainnetGas, part(lambda services: services.mainnet_gas)]


async def _client_address(request: Request) -> Address | None:
    return client_ip(request, services_of(request).limiter.proxies)


ClientAddress = Annotated[Address | None, Depends(_client_address)]
"""The client's address; None where it has none. See :func:`api.limits.addresses.client_ip`."""
AtRiskDep = Annotated[AtRiskMemory, part(lambda services: services.at_risk)]
