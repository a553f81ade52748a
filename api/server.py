"""``python -m api.server``: the API over HTTP with bounded connections, and its metrics on a port of their own.

uvicorn started in another way serves the same application without the bounds and without metrics.
"""

import asyncio
import contextlib
import resource
import socket
import sys
from collections.abc import Callable, Iterator
from functools import partial

import uvicorn
from starlette.types import ASGIApp

from api.app import create_app
from api.health.scrapes import ScrapeApp
from api.http.connections import Connections
from api.http.metrics import Metrics
from api.http.protocol import Bounds, bounded_protocol
from api.limits.addresses import connection_address
from api.reference.document import RenderedDocument
from api.services import Services
from api.settings import ApiSettings, load
from warehouse.logs import configure_logging
from warehouse.serving import StoppableServer
from warehouse.tracing import configure_tracing

TARGET_BYTES = 8192
NOT_READ_SECONDS = 20.0
GRACEFUL_SECONDS = 8
"""Running requests get this long when the process is asked to stop; the supervisor waits longer."""
RESERVED_DESCRIPTORS = 256
"""For engines, nodes, files and everything else that is not a client's connection."""


def main() -> None:
    """Serve until SIGINT or SIGTERM; the exit status is then 0."""
    settings = load()
    configure_logging(settings=settings)
    configure_tracing("api", settings)
    try:
        line = socket.create_server((settings.metrics_host, settings.metrics_port or 0))
    except OSError as error:
        sys.exit(f"REGALIA_METRICS_PORT: the metrics cannot be served on {settings.metrics_host}: {error}")
    app = create_app(settings)
    services: Services = app.state.services
    document: RenderedDocument = app.state.document
    document.render()  # not while requests wait
    server = StoppableServer(
        configuration(app, settings, services.metrics, is_over=services.limiter.is_address_over_uncounted)
    )
    with line, asyncio.Runner(loop_factory=server.config.get_loop_factory()) as runner:
        runner.run(_serve(server, services, line))


async def _serve(server: uvicorn.Server, services: Services, metrics_line: socket.socket) -> None:
    metrics = _Silent(scrape_configuration(services))
    serving = asyncio.create_task(metrics.serve(sockets=[metrics_line]))
    try:
        await server.serve()
    finally:
        metrics.should_exit = True
        await serving


class _Silent(uvicorn.Server):
    """A server beside another one, which handles the process's signals."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to the other server."""
        yield


def configuration(
    app: ASGIApp, settings: ApiSettings, metrics: Metrics, is_over: Callable[[str], bool] = lambda address: False
) -> uvicorn.Config:
    """uvicorn's configuration for the application, with bounded connections that ``metrics`` describe; ``is_over`` says
    whether an address has had too many uncounted answers."""
    connections = Connections(
        per_address=settings.connections_per_address,
        total=min(settings.connections, _free_descriptors()),
        metrics=metrics,
    )
    bounds = Bounds(
        headers_seconds=settings.headers_timeout_seconds,
        not_read_seconds=NOT_READ_SECONDS,
        headers_bytes=settings.headers_limit_bytes,
        target_bytes=TARGET_BYTES,
        address_of=partial(connection_address, proxies=settings.proxies),
        is_over=is_over,
    )
    return uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        http=bounded_protocol(bounds, connections),
        ws="none",
        log_config=None,  # the process's
        log_level="warning",
        access_log=False,  # the observation middleware logs requests
        # The API reads client addresses itself, and trusts only REGALIA_TRUSTED_PROXIES.
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=settings.idle_timeout_seconds,
        timeout_graceful_shutdown=GRACEFUL_SECONDS,
    )


def scrape_configuration(services: Services) -> uvicorn.Config:
    """uvicorn's configuration for the metrics: few connections, for Prometheus and people."""
    bounds = Bounds(headers_seconds=5.0, not_read_seconds=NOT_READ_SECONDS, headers_bytes=8192, target_bytes=1024)
    return uvicorn.Config(
        ScrapeApp(services.scrapes),
        http=bounded_protocol(bounds, Connections(per_address=16, total=64)),
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=1,
    )


def _free_descriptors() -> int:
    """How many connections the process can hold, with as many descriptors as it may have."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return max(hard - RESERVED_DESCRIPTORS, 16) if hard != resource.RLIM_INFINITY else 1 << 20


if __name__ == "__main__":
    main()
