"""A node whose clock the tests of the contract may move."""

from collections.abc import Iterator

import pytest
from eth_account.signers.local import LocalAccount

from indexer.devchain.anvil import Anvil
from tests.indexer.contracts.deployed_registry import Registry


@pytest.fixture(scope="module")
def clock_node() -> Iterator[Anvil]:
    """A node of the module's own: what other tests see of time stays as it is."""
    with Anvil.start() as node:
        yield node


@pytest.fixture
def timed(clock_node: Anvil) -> Registry:
    """A fresh registry on that node: ends after an hour, two more after an objection, signers after half an hour."""
    return Registry.deploy(clock_node)


@pytest.fixture
def holder(timed: Registry) -> LocalAccount:
    """Who holds a registration that somebody makes an offer for."""
    return timed.wallet()


@pytest.fixture
def offerer(timed: Registry) -> LocalAccount:
    """Who makes the offer."""
    return timed.wallet()


@pytest.fixture
def token_id(timed: Registry, holder: LocalAccount) -> int:
    """The registration that the offer is for."""
    return timed.mint(holder, "AURUM")
