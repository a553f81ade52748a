"""The block that a served row names is one that every figure of the row is true of."""

import random
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from indexer.devchain import artifacts
from indexer.devchain.anvil import Anvil
from indexer.devchain.world import World
from pipelines.documents.replay import ServedCount, replay_holders
from pipelines.follow import follow
from pipelines.refresh import publish_new_tokens, refresh
from tests.factories.amounts import ETHER
from tests.factories.ledger import ZERO, Ledger, address
from tests.factories.markets import build_market
from tests.fixtures.derived import served
from tests.fixtures.indexing import mine_activity
from tests.fixtures.waiting import wait_until
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain, Chains
from warehouse.engines import EngineUrls
from warehouse.postgres import Connection

SAMPLED, SEVERAL = 1_000, 6
TRANSFER = artifacts.load("PlainToken").topic("Transfer")
DEPOSIT, WITHDRAWAL = (artifacts.load("WETH9").topic(name) for name in ("Deposit", "Withdrawal"))


@pytest.fixture
def base(chains: Chains) -> Chain:
    return chains.by_key["base"]


def test_new_statements_of_a_token_leave_its_figures_and_their_block(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains, base: Chain
) -> None:
    token, _ = build_market(ledger)
    refresh(warehouse, store, chains)
    before = served(warehouse)["PEPE"]
    counted = ledger.block
    assert before["as_of_block"] == counted
    ledger.mine()
    ledger.transfer(token, address(0xD1), address(0xD4), ETHER)
    ledger.read(token, "PEPE", name="Pepe Renamed", total_supply_raw=5)
    ledger.publish()
    publish_new_tokens(warehouse, store, chains, base)
    shown = served(warehouse)["PEPE"]
    assert shown["name"] == "Pepe Renamed"
    changed = ("name", "version")
    assert {name: value for name, value in shown.items() if name not in changed} == {
        name: value for name, value in before.items() if name not in changed
    }
    refresh(warehouse, store, chains, full=False)
    after = served(warehouse)["PEPE"]
    assert (after["holders"], after["as_of_block"]) == (before["holders"] + 1, ledger.block)


def test_figures_that_another_run_is_computing_are_not_served(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains, base: Chain
) -> None:
    """Holders are counted anew, prices are not yet: a document made now keeps what is served."""
    token, pool = build_market(ledger)
    refresh(warehouse, store, chains)
    before = served(warehouse)["PEPE"]
    ledger.mine()
    ledger.transfer(token, address(0xD1), address(0xD5), ETHER)
    ledger.swap(pool, 100 * ETHER, -ETHER // 10)
    ledger.read(token, "PEPE", name="Pepe Renamed")
    ledger.publish()
    refresh(warehouse, store, chains, steps=["tokens", "holders"])
    publish_new_tokens(warehouse, store, chains, base)
    shown = served(warehouse)["PEPE"]
    assert (shown["name"], shown["holders"]) == ("Pepe Renamed", before["holders"])
    assert (shown["volume_24h_usd"], shown["as_of_block"]) == (before["volume_24h_usd"], before["as_of_block"])
    refresh(warehouse, store, chains, steps=["documents"])
    after = served(warehouse)["PEPE"]
    assert (after["holders"], after["as_of_block"]) == (before["holders"] + 1, ledger.block)
    assert after["volume_24h_usd"] > before["volume_24h_usd"]


def test_prices_are_of_the_block_of_the_holders(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    """A swap falls out of the 24 hours without any event. A later transfer makes the document, with the volume then."""
    token, _ = build_market(ledger)
    refresh(warehouse, store, chains)
    assert served(warehouse)["PEPE"]["volume_24h_usd"] == 2_000
    ledger.mine(26 * 3600)
    ledger.transfer(token, address(0xD1), address(0xD6), ETHER)
    ledger.publish()
    refresh(warehouse, store, chains, full=False, steps=["tokens", "holders", "trades", "liquidity", "documents"])
    shown = served(warehouse)["PEPE"]
    assert (shown["volume_24h_usd"], shown["as_of_block"]) == (0, ledger.block)


def test_a_namesakes_row_keeps_its_block(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    token, _ = build_market(ledger)
    ledger.mine()
    ledger.token(0xF07, "FROG", supply=ETHER)
    ledger.publish()
    refresh(warehouse, store, chains)
    before = served(warehouse, key="token")
    ledger.mine()
    ledger.token(0xF08, "FROG", supply=ETHER)
    ledger.transfer(token, address(0xD1), address(0xD7), ETHER)
    ledger.publish()
    refresh(warehouse, store, chains, full=False)
    after = served(warehouse, key="token")
    assert after[address(0xF07)]["as_of_block"] == before[address(0xF07)]["as_of_block"]
    assert after[address(0xF08)]["as_of_block"] == ledger.block


def test_the_same_count_after_a_reorganisation_names_a_block_of_the_new_chain(
    settling: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    ledger = settling
    token, _ = build_market(ledger)
    for _ in range(4):
        ledger.mine()
    ledger.publish()
    refresh(warehouse, store, chains)
    ledger.mine()
    ledger.transfer(token, address(0xD1), address(0xD4), ETHER)
    ledger.mine()
    ledger.publish()
    refresh(warehouse, store, chains, full=False)
    orphaned = served(warehouse)["PEPE"]
    ledger.revert_last_unit()
    for _ in range(3):
        ledger.mine()
    ledger.transfer(token, address(0xD1), address(0xD8), ETHER)
    ledger.publish()
    refresh(warehouse, store, chains, full=False)
    shown = served(warehouse)["PEPE"]
    assert shown["holders"] == orphaned["holders"]
    assert shown["as_of_block"] == ledger.block > orphaned["as_of_block"]


def test_a_check_finds_a_count_that_is_not_true_of_its_block(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains, base: Chain
) -> None:
    build_market(ledger)
    refresh(warehouse, store, chains)
    sound = replay_holders(warehouse, store, base)
    assert (len(sound.compared), sound.differences, sound.waiting) == (3, [], 0)
    warehouse.command(
        "INSERT INTO serve_token SELECT * REPLACE (toNullable(toUInt64(77)) AS holders, version AS version)"
        " FROM serve_token WHERE symbol = 'PEPE'"
    )
    warehouse.command("DELETE FROM serve_token WHERE symbol = 'PEPE' AND holders != 77")
    assert [(count.holders, count.replayed) for count in replay_holders(warehouse, store, base).differences] == [
        (77, 2)
    ]


@dataclass
class NodeReplay:
    """Holder counts replayed from a node's own logs."""

    node: Anvil
    wrapped_native: str | None
    moves: dict[str, list[tuple[int, str, str, int]]] = field(default_factory=lambda: defaultdict(list))
    read_to: int = -1

    def forget_above(self, block: int) -> None:
        """Blocks above were removed."""
        for token, moves in self.moves.items():
            self.moves[token] = [move for move in moves if move[0] <= block]
        self.read_to = min(self.read_to, block)

    def holders(self, token: str, block: int) -> int:
        """How many wallets held some of a token after a block."""
        self._read(block)
        balances: dict[str, int] = defaultdict(int)
        for at, sender, recipient, amount in self.moves[token]:
            if at <= block:
                balances[sender] -= amount
                balances[recipient] += amount
        return sum(1 for wallet, balance in balances.items() if balance > 0 and wallet != ZERO)

    def _read(self, block: int) -> None:
        if block <= self.read_to:
            return
        wanted = {"fromBlock": hex(self.read_to + 1), "toBlock": hex(block)}
        for log in self.node.rpc("eth_getLogs", wanted | {"topics": [[TRANSFER, DEPOSIT, WITHDRAWAL]]}):
            kind, *accounts = log["topics"]
            wallets = [account[-40:] for account in accounts]
            if kind != TRANSFER and log["address"].lower() != self.wrapped_native:
                continue
            if len(wallets) != (2 if kind == TRANSFER else 1):
                continue
            ends = {TRANSFER: wallets, DEPOSIT: [ZERO, *wallets], WITHDRAWAL: [*wallets, ZERO]}[kind]
            move = (int(log["blockNumber"], 16), ends[0], ends[1], int(log["data"], 16))
            self.moves[log["address"][2:].lower()].append(move)
        self.read_to = block


@contextmanager
def followed(chain: Chain, urls: EngineUrls) -> Iterator[None]:
    """The chain's follower with all its loops."""
    stop = threading.Event()
    loops = threading.Thread(target=follow, args=(urls, Chains({chain.key: chain}), chain, stop), daemon=True)
    loops.start()
    try:
        yield
    finally:
        stop.set()
        loops.join(30)


@contextmanager
def mined(world: World, gate: threading.Lock) -> Iterator[None]:
    """Blocks of transfers, swaps and new tokens, several a second, whenever the gate is open."""
    stop = threading.Event()
    rng = random.Random(8)

    def keep() -> None:
        while not stop.wait(0.25):
            with gate:
                mine_activity(world, rng, 1)
        world.anvil.disconnect()

    thread = threading.Thread(target=keep, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(30)


def test_a_thousand_holder_counts_are_true_of_their_blocks_under_load(
    archive_world: World, archive_chain: Chain, warehouse: Warehouse, warehouse_url: str, store: Connection,
    store_url: str, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """The follower runs, the chain grows and is reorganised. Every count is replayed twice: by the check, from the
    warehouse, and here, from the node."""
    monkeypatch.setattr("pipelines.follow._MAX_REST_SECONDS", 0.5)  # more runs than in service
    chain = replace(archive_chain, block_seconds=0.2)
    node, gate = NodeReplay(archive_world.anvil, chain.wrapped_native), threading.Lock()
    rng = random.Random(14)
    compared: list[ServedCount] = []
    reorganisations, blocks = 0, set()
    archive_world.anvil.rpc("evm_setAutomine", False)
    try:
        with followed(chain, EngineUrls(warehouse_url, store_url)):
            wait_until(lambda: warehouse.scalar("SELECT count() FROM serve_publication") > 0, seconds=60)
            with mined(archive_world, gate):
                deadline = time.monotonic() + 200
                while (len(compared) < SAMPLED or len(blocks) < SEVERAL) and time.monotonic() < deadline:
                    for _ in range(8):
                        time.sleep(0.3)
                        found = replay_holders(warehouse, store, chain)
                        assert found.differences == []
                        for count in found.compared:
                            assert node.holders(count.token_hex, count.as_of_block) == count.holders, count
                        compared += found.compared
                        blocks |= {count.as_of_block for count in found.compared}
                    reorganise(archive_world, gate, node, store, rng.randrange(1, 12))
                    reorganisations += 1
    finally:
        archive_world.anvil.rpc("evm_setAutomine", True)
    assert len(compared) >= SAMPLED
    assert reorganisations >= 2
    assert len(blocks) >= SEVERAL, "no figures were computed while the chain grew"


def reorganise(world: World, gate: threading.Lock, node: NodeReplay, store: Connection, depth: int) -> None:
    """Remove blocks, mine others, and wait until the indexer has noticed."""
    with gate:
        world.anvil.rpc("anvil_rollback", depth)
        world.sender.forget_nonces()
        world.sender.sent.clear()
        ancestor = world.anvil.block_number()
        node.forget_above(ancestor)
        mine_activity(world, random.Random(depth), 2)
        removed: Any = world.anvil.rpc("eth_getBlockByNumber", hex(ancestor + 1), False)

    def noticed() -> bool:
        row = store.execute("SELECT block_number, block_hash, pending FROM chain_checkpoint").fetchone()
        if row is None or row["pending"] or row["block_number"] <= ancestor:
            return False
        block = world.anvil.rpc("eth_getBlockByNumber", hex(row["block_number"]), False)
        return bool(block and block["hash"] == row["block_hash"])

    assert removed is not None
    wait_until(noticed, "the reorganisation is noticed", 60)
