"""The services that a command works with."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from api.services import Services
from api.settings import load
from warehouse import engines

Answer = TypeVar("Answer")


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


def run_with_services(act: Callable[[Services], Awaitable[Answer]]) -> Answer:
    """Run a command's work on the store in an event loop of its own."""
    with open_services() as services:

        async def run() -> Answer:
            try:
                return await act(services)
            finally:
                await services.store.close()

        return asyncio.run(run())
