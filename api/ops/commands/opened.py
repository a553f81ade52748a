"""The services that a command works with."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from api.services import Services
from api.settings import load
from warehouse import engines


@contextmanager
def open_services(services: Services | None = None) -> Iterator[Services]:
    """Services whose engines run: those of the data directory, started for the command if they are not running.

    Args:
        services: not opened yet, where the command needs some before the engines; by default the environment's.
    """
    services = services or Services.of(load())
    with engines.ensure(services.settings) as services.urls:
        try:
            yield services
        finally:
            asyncio.run(services.aclose())
