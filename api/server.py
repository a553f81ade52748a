"""``python -m api.server``: the API over HTTP, with bounded connections.

uvicorn started in another way serves the same application without these bounds.
"""

import resource
from functools import partial

import uvicorn
from starlette.types import ASGIApp

from api.app import create_app
from api.http.connections import Connections
from api.http.metrics import Metrics
from api.http.protocol import Bounds, bounded_protocol
from api.limits.addresses import connection_address
from api.services import Services
from api.settings import ApiSettings, load

TARGET_BYTES = 8192
NOT_READ_SECONDS = 20.0
GRACEFUL_SECONDS = 8
"""Running requests get this long when the process is asked to stop; the supervisor waits longer."""
RESERVED_DESCRIPTORS = 256
"""For engines, nodes, files and everything else that is not a client's connection."""


def main() -> None:
    """Serve until SIGINT or SIGTERM."""
    settings = load()
    app = create_app(settings)
    services: Services = app.state.services
    uvicorn.Server(configuration(app, settings, services.metrics)).run()


def configuration(app: ASGIApp, settings: ApiSettings, metrics: Metrics) -> uvicorn.Config:
    """uvicorn's configuration for the application, with bounded connections that ``metrics`` describe."""
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
    )
    return uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        http=bounded_protocol(bounds, connections),
        ws="none",
        log_level="warning",
        access_log=False,
        # The API reads client addresses itself, and trusts only REGALIA_TRUSTED_PROXIES.
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=settings.idle_timeout_seconds,
        timeout_graceful_shutdown=GRACEFUL_SECONDS,
    )


def _free_descriptors() -> int:
    """How many connections the process can hold, with as many descriptors as it may have."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return max(hard - RESERVED_DESCRIPTORS, 16) if hard != resource.RLIM_INFINITY else 1 << 20


if __name__ == "__main__":
    main()
