"""The application: ``create_app()`` puts services, middleware and routers together."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, suppress
from importlib.metadata import version
from uuid import UUID

from fastapi import FastAPI

from api import openapi
from api.clock import Clock
from api.http import exception_handlers
from api.http.admission import AdmissionMiddleware
from api.http.observation import ObservationMiddleware
from api.http.pacing import PacingMiddleware
from api.http.request_bounds import RequestBoundsMiddleware
from api.http.route_table import RouteTable
from api.http.sharing import SharingMiddleware
from api.reference.document import RenderedDocument
from api.router import ROUTERS, ROUTES
from api.services import Services
from api.settings import ApiSettings, load
from warehouse.domain.chains import Chains
from warehouse.notifications import listen

LOG = logging.getLogger(__name__)
_LISTENING_SECONDS = 5.0
"""How long a start waits for the store to say that it will tell of changed plans and revoked credentials."""


def create_app(
    settings: ApiSettings | None = None, *, chains: Chains | None = None, clock: Clock | None = None
) -> FastAPI:
    """An application for the settings (by default the environment's). It contacts nothing until it starts.

    Raises:
        ChainFactsError: the chains file cannot be used.
        OverlayError: another of the operator's files cannot be used.
    """
    settings = settings or load()
    services = Services.of(settings, chains=chains, clock=clock)
    services.read_files()
    table = RouteTable(ROUTERS)
    app = FastAPI(
        title=settings.service_name,
        version=version("regalia"),
        lifespan=_lifespan,
        openapi_url=None,  # api/reference answers it
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        # Ours is the observation middleware's; FastAPI's would send what clients put into URLs and bodies.
        telemetry={"tracing": False, "metrics": False, "logs": False, "operation_spans": False},
    )
    app.state.services = services
    exception_handlers.install(app, table)
    openapi.install(app, table, public_url=settings.public_url)
    app.state.document = RenderedDocument(app.openapi)
    app.router.routes.extend(ROUTES)
    # The one added last sees a request first: it is paced, gets its id, then its bounds, then it is admitted.
    app.add_middleware(AdmissionMiddleware, table=table, settings=settings, metrics=services.metrics)
    app.add_middleware(RequestBoundsMiddleware, table=table, settings=settings)
    app.add_middleware(SharingMiddleware, table=table, site_url=settings.public_site_url)
    app.add_middleware(
        ObservationMiddleware,
        table=table,
        metrics=services.metrics,
        secure=settings.public_url.startswith("https://"),
        proxies=settings.proxies,
        logged_share=settings.log_request_share,
        slow_seconds=settings.log_slow_seconds,
    )
    app.add_middleware(PacingMiddleware, is_over=lambda connection: services.limiter.is_over_uncounted(connection))
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Open the services and run what the API does between requests. It also starts while an engine is down:
    ``/health/ready`` says what is missing."""
    services: Services = app.state.services
    async with aclosing(services), _background(services):
        LOG.info("serving on %s", services.settings.public_url)
        yield


@asynccontextmanager
async def _background(services: Services) -> AsyncIterator[None]:
    # Made now, so that a key that cannot be read or written stops the start instead of failing the first request.
    services.signing_keys.current()
    _ = (services.signer, services.sealer, services.service_collector)
    forget, begun = on_access_change(services), asyncio.Event()

    def hear(payload: str | None) -> None:
        forget(payload)
        begun.set()

    listening = listen(services.urls.database_url, "access", hear)
    async with AsyncExitStack() as stack:
        for work in (
            services.api_keys.note_uses_forever(),
            services.limiter.keep_forever(),
            listening,
            _warm_token_list(services),
        ):
            stack.push_async_callback(_cancel, asyncio.create_task(work))
        # No caller is remembered whose revocation would not be heard. Without a store the service starts all the same.
        with suppress(TimeoutError):
            await asyncio.wait_for(begun.wait(), _LISTENING_SECONDS)
        yield


def on_access_change(services: Services) -> Callable[[str | None], None]:
    """What to call when the store notifies of a changed plan or a revoked credential: forgets the callers concerned.

    The notification names the table and the row. None means that listening has begun, perhaps again: notifications may
    have been missed before.
    """

    def forget(payload: str | None) -> None:
        table, _, row = (payload or "").partition(" ")
        if table == "api_key":
            services.api_keys.forget_key(UUID(row))
        elif table == "account":
            services.api_keys.forget_account(UUID(row))
            services.sessions.forget_account(UUID(row))
        else:
            services.api_keys.forget_all()
            services.sessions.forget_all()

    return forget


async def _warm_token_list(services: Services) -> None:
    """Read the token list before the first request for it."""
    try:
        await services.token_list.warm()
    except Exception as error:  # the first request that needs it reports the error
        LOG.info("the token list is not read yet: %s", error)


async def _cancel(task: "asyncio.Task[None]") -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
