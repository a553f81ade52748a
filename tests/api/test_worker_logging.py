"""Secrets stay out of the worker's log."""

import logging
from collections.abc import Iterator

import pytest

from api.worker import configure_logging


@pytest.fixture
def levels() -> Iterator[None]:
    root, client = logging.getLogger(), logging.getLogger("httpx")
    before = root.level, client.level
    yield
    root.setLevel(before[0])
    client.setLevel(before[1])


@pytest.mark.usefixtures("levels")
def test_addresses_of_nodes_are_not_logged() -> None:
    configure_logging()
    assert not logging.getLogger("httpx").isEnabledFor(logging.INFO)
