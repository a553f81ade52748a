"""Snapshots of holders: everybody who redeems, with what they held at that block, and nobody else."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from api.chains import ChainReaders
from api.deals.errors import DealInvalidState
from api.deals.vaults import snapshots
from api.deals.vaults.snapshots import Snapshots
from api.warehouse import WarehouseReader
from tests.factories.ledger import ZERO, Ledger, address
from warehouse.chains import facts
from warehouse.domain.addresses import checksum_address
from warehouse.domain.chains import Chain

CREATOR, ALICE, BOB, GONE = (address(number) for number in (0xC0, 0xA1, 0xB0, 0x60))
REGISTRY, VAULTS = address(0x5E), address(0x7A)
DEAD = "00" * 18 + "dead"


@pytest.fixture
def chain() -> Chain:
    base = facts.load(None).by_key["base"]
    return replace(base, contracts={"registry": "0x" + REGISTRY, "vaults": "0x" + VAULTS})


@pytest.fixture
async def taking(warehouse_url: str) -> AsyncIterator[Snapshots]:
    reader = WarehouseReader(warehouse_url, timeout_seconds=60)
    yield Snapshots(reader, ChainReaders(timeout_seconds=1))
    await reader.close()


def account(digits: str) -> str:
    return checksum_address("0x" + digits)


def publish(ledger: Ledger) -> None:
    """Write the blocks, and show them to readers."""
    ledger.publish()
    ledger.warehouse.command(
        "INSERT INTO chain_publication (chain_id, generation, next_block, next_unit)"
        f" SELECT {ledger.chain_id}, 1, {ledger.block + 1}, 1000000"
    )


def traded(ledger: Ledger, chain: Chain) -> tuple[str, int]:
    """A token whose creator sold some, put some into a pool and lost some; and the block before it goes on."""
    ledger.mine()
    token, quote = ledger.token(0x70, "AURUM", supply=1_000), ledger.token(0x71, "USDC")
    pool = ledger.pool(0x90, token, quote)
    manager = next(dex.factory[2:] for dex in chain.dexes if dex.protocol == "uniswap_v4")
    for receiver in (pool, manager, REGISTRY, VAULTS, DEAD, token):
        ledger.transfer(token, CREATOR, receiver, 10)
    ledger.transfer(token, CREATOR, ALICE, 300)
    ledger.transfer(token, CREATOR, GONE, 40)
    ledger.mine()
    ledger.transfer(token, GONE, BOB, 40)
    ledger.transfer(token, ALICE, ALICE, 7)
    return token, ledger.block


async def test_who_held_what_at_a_block_counts_and_nothing_since(
    ledger: Ledger, chain: Chain, taking: Snapshots
) -> None:
    token, block = traded(ledger, chain)
    ledger.mine()
    ledger.transfer(token, ZERO, BOB, 10**30)  # a flood
    ledger.transfer(token, ALICE, address(0xE1), 300)
    publish(ledger)
    found = await taking.at(chain, "0x" + token, block)
    assert (found.block, dict(found.leaves)) == (
        block, {account(CREATOR): 600, account(ALICE): 300, account(BOB): 40},
    )  # fmt: skip
    assert (found.total, len(found.tree.nodes)) == (940, 5 * 32)
    before = await taking.at(chain, "0x" + token, block - 1)
    assert dict(before.leaves) == {account(CREATOR): 600, account(ALICE): 300, account(GONE): 40}


async def test_a_block_that_is_not_indexed_yet_is_not_used(ledger: Ledger, chain: Chain, taking: Snapshots) -> None:
    token, block = traded(ledger, chain)
    publish(ledger)
    assert (await taking.at(chain, "0x" + token, block + 100)).block == block


async def test_nobody_and_too_many_are_refused(
    ledger: Ledger, chain: Chain, taking: Snapshots, monkeypatch: pytest.MonkeyPatch
) -> None:
    token, block = traded(ledger, chain)
    publish(ledger)
    with pytest.raises(DealInvalidState, match="nobody"):
        await taking.at(chain, "0x" + address(0x72), block)
    monkeypatch.setattr(snapshots, "MAX_ACCOUNTS", 2)
    with pytest.raises(DealInvalidState, match="more than 2 accounts"):
        await taking.at(chain, "0x" + token, block)
