"""Secrets stay out of the logs of the worker and of the server."""

import logging
from collections.abc import Iterator

import pytest

from warehouse.logs import configure_logging, hide_urls

CLIENTS = ("httpx", "httpx2")


@pytest.fixture
def levels() -> Iterator[None]:
    loggers = [logging.getLogger(), *map(logging.getLogger, CLIENTS)]
    before = [logger.level for logger in loggers]
    yield
    for logger, level in zip(loggers, before, strict=True):
        logger.setLevel(level)


@pytest.mark.usefixtures("levels")
@pytest.mark.parametrize("client", CLIENTS)
def test_addresses_of_nodes_are_not_logged(client: str) -> None:
    configure_logging()
    assert not logging.getLogger(client).isEnabledFor(logging.INFO)
    logging.getLogger(client).setLevel(logging.NOTSET)
    hide_urls()
    assert not logging.getLogger(client).isEnabledFor(logging.INFO)
