"""The application: ``create_app()`` puts settings, stores, chains and routers together."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from importlib.metadata import version

from fastapi import FastAPI

from api import openapi
from api.apps import catalogue
from api.chains import ChainReaders
from api.clock import Clock, SystemClock
from api.domains.lookups import TextLookups
from api.fees.pricing import PricingFile
from api.health.exposition import ServiceCollector
from api.health.observer import Observer
from api.health.service import Readiness
from api.http import errors
from api.http.admission import AdmissionMiddleware
from api.http.errors import RouteGroups
from api.http.metrics import Metrics
from api.http.observation import ObservationMiddleware
from api.http.request_bounds import LimitsMiddleware
from api.limits.assembly import open_limiter
from api.limits.plans import LimitsFile
from api.metadata.contents import Limits as MetadataLimits
from api.metadata.endpoints import FRAMING_BYTES, UPLOAD_PATH
from api.metadata.service import Metadata, open_contents
from api.public.sharing import SharingMiddleware
from api.router import ROUTERS, ROUTES
from api.security import sealing
from api.security.access import ApiKeys, CallerNews
from api.security.jwt import Tokens
from api.security.sessions import Sessions
from api.security.signing_keys import SigningKeys
from api.settings import ApiSettings, load
from api.store.store import Store
from api.tokenlists import endpoints as token_list
from api.warehouse import WarehouseReader
from indexer.contracts import signer
from warehouse import engines
from warehouse.chains import facts, majors
from warehouse.domain.chains import Chains
from warehouse.notifications import listen

LOG = logging.getLogger(__name__)


def create_app(
    settings: ApiSettings | None = None, *, chains: Chains | None = None, clock: Clock | None = None
) -> FastAPI:
    """An application for the settings (the environment's by default). Nothing is contacted until it starts."""
    settings = settings or load()
    groups = RouteGroups(tuple(group for mounted in ROUTERS for group in mounted.groups))
    app = FastAPI(
        title=settings.service_name,
        version=version("regalia"),
        lifespan=_lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.settings = settings
    app.state.chains = chains or facts.load(settings.chains)
    app.state.majors = majors.load(app.state.chains, settings.majors)
    app.state.clock = clock or SystemClock()
    app.state.metrics = Metrics()
    app.state.pricing = PricingFile(settings.pricing)
    app.state.apps = catalogue.load(settings.apps)
    app.state.text_lookups = TextLookups.of(settings)
    app.state.limits = LimitsFile(settings.limits)
    errors.install(app, groups)
    openapi.install(app)
    app.router.routes.extend(ROUTES)
    # The one added last is the first to see a request: it gets its id, its limits, then a place.
    app.add_middleware(AdmissionMiddleware, groups=groups, settings=settings, metrics=app.state.metrics)
    app.add_middleware(
        LimitsMiddleware,
        groups=groups,
        body_limit_bytes=settings.body_limit_bytes,
        larger_bodies={UPLOAD_PATH: MetadataLimits.of(settings).most_bytes + FRAMING_BYTES},
        timeout_seconds=settings.request_timeout_seconds,
    )
    app.add_middleware(SharingMiddleware)
    app.add_middleware(
        ObservationMiddleware,
        groups=groups,
        metrics=app.state.metrics,
        secure=settings.public_url.startswith("https://"),
    )
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Open what requests need, and close it again. Engines that are down do not keep the API from starting: it says
    in /health/ready what is missing."""
    settings: ApiSettings = app.state.settings
    urls = engines.locate(settings)
    async with AsyncExitStack() as stack:
        store = Store(
            urls.database_url, pool_size=settings.store_pool_size, timeout_seconds=settings.store_timeout_seconds
        )
        stack.push_async_callback(store.close)
        warehouse = WarehouseReader(urls.clickhouse_url, timeout_seconds=settings.query_timeout_seconds)
        stack.push_async_callback(warehouse.close)
        keys = ApiKeys(
            store, clock=app.state.clock, metrics=app.state.metrics, cache_seconds=settings.api_key_cache_seconds
        )
        stack.push_async_callback(keys.note_uses)
        readers = ChainReaders(timeout_seconds=settings.chain_timeout_seconds)
        stack.push_async_callback(readers.close)
        app.state.chain_readers = readers
        app.state.signer = signer.load_or_create(settings.data_dir)
        app.state.sealer = sealing.load_or_create(settings.data_dir, settings.given_sealing_key)
        app.state.store = store
        app.state.warehouse = warehouse
        app.state.api_keys = keys
        app.state.limiter = await stack.enter_async_context(
            open_limiter(
                settings, app.state.limits, urls.database_url, store, clock=app.state.clock, metrics=app.state.metrics
            )
        )
        signing_keys = SigningKeys(settings.data_dir, given=settings.given_signing_keys)
        signing_keys.current()  # made now, or the start fails, rather than the first sign-in
        app.state.tokens = Tokens(signing_keys, issuer=settings.public_site_url, audience=settings.public_url)
        app.state.sessions = Sessions(
            store,
            app.state.tokens,
            clock=app.state.clock,
            metrics=app.state.metrics,
            cache_seconds=settings.session_cache_seconds,
        )
        contents = open_contents(settings)
        stack.push_async_callback(contents.close)
        app.state.metadata = Metadata(store, contents, settings)
        app.state.readiness = Readiness(store, warehouse, urls)
        app.state.observer = Observer(urls)
        stack.push_async_callback(app.state.observer.close)
        app.state.service_collector = ServiceCollector(app.state.chains, settings.data_dir, store)
        app.state.metrics.registry.register(app.state.service_collector)
        stack.callback(app.state.metrics.registry.unregister, app.state.service_collector)
        notes = asyncio.create_task(keys.note_uses_forever())
        stack.push_async_callback(_cancel, notes)
        news = asyncio.create_task(
            listen(urls.database_url, "access", CallerNews(keys.forget, app.state.sessions.forget_all))
        )
        stack.push_async_callback(_cancel, news)
        warming = asyncio.create_task(token_list.warm(app.state))
        stack.push_async_callback(_cancel, warming)
        LOG.info("serving on %s", settings.public_url)
        yield


async def _cancel(task: "asyncio.Task[None]") -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
