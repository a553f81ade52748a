"""What endpoints ask for by type: settings, store, warehouse, chains, clock.

None of them waits for anything, and all are coroutines: FastAPI runs plain functions in threads, which costs more than
most requests do.
"""

from typing import Annotated

from fastapi import Depends, Request

from api.clock import Clock
from api.fees.pricing import Pricing
from api.http.metrics import Metrics
from api.settings import ApiSettings
from api.store.store import Store
from api.warehouse import WarehouseReader
from warehouse.domain.chains import Chains
from warehouse.domain.majors import Majors


async def _settings(request: Request) -> ApiSettings:
    settings: ApiSettings = request.app.state.settings
    return settings


async def _store(request: Request) -> Store:
    store: Store = request.app.state.store
    return store


async def _warehouse(request: Request) -> WarehouseReader:
    warehouse: WarehouseReader = request.app.state.warehouse
    return warehouse


async def _chains(request: Request) -> Chains:
    chains: Chains = request.app.state.chains
    return chains


async def _majors(request: Request) -> Majors:
    majors: Majors = request.app.state.majors
    return majors


async def _clock(request: Request) -> Clock:
    clock: Clock = request.app.state.clock
    return clock


async def _metrics(request: Request) -> Metrics:
    metrics: Metrics = request.app.state.metrics
    return metrics


async def _pricing(request: Request) -> Pricing:
    pricing: Pricing = request.app.state.pricing.current()
    return pricing


SettingsDep = Annotated[ApiSettings, Depends(_settings)]
StoreDep = Annotated[Store, Depends(_store)]
WarehouseDep = Annotated[WarehouseReader, Depends(_warehouse)]
ChainsDep = Annotated[Chains, Depends(_chains)]
MajorsDep = Annotated[Majors, Depends(_majors)]
ClockDep = Annotated[Clock, Depends(_clock)]
MetricsDep = Annotated[Metrics, Depends(_metrics)]
PricingDep = Annotated[Pricing, Depends(_pricing)]
