import tomllib
from collections import defaultdict
from decimal import Decimal
from pathlib import Path

import pytest

from indexer.devchain import artifacts
from indexer.devchain.anvil import HISTORY_SECONDS, Anvil
from indexer.devchain.world import World
from warehouse.chains import facts

pytestmark = pytest.mark.slow

_TRANSFER = artifacts.load("PlainToken").topic("Transfer")


def _logs(world: World, **criteria: object) -> list[dict[str, object]]:
    found: list[dict[str, object]] = world.anvil.rpc(
        "eth_getLogs", {"fromBlock": "0x0", "toBlock": "latest", **criteria}
    )
    return found


def test_the_history_spans_a_day_and_ends_now(world: World) -> None:
    first = int(world.anvil.rpc("eth_getBlockByNumber", "0x1", False)["timestamp"], 16)
    assert 25 * 3600 < world.head_time() - first < 27 * 3600


def test_balances_are_the_sums_of_transfers(world: World) -> None:
    for token in world.tokens:
        sums: dict[str, int] = defaultdict(int)
        for log in _logs(world, address=token.address, topics=[_TRANSFER]):
            topics, data = log["topics"], log["data"]
            assert isinstance(topics, list)
            assert isinstance(data, str)
            sums["0x" + topics[1][26:]] -= int(data, 16)
            sums["0x" + topics[2][26:]] += int(data, 16)
        sums.pop("0x" + "00" * 20, None)
        wallets = sorted(sums)
        assert world.balances(token.address, wallets) == [sums[wallet] for wallet in wallets], token.key


def test_every_planned_token_exists_and_has_code(world: World) -> None:
    codes = world.anvil.batch(("eth_getCode", (token.address, "latest")) for token in world.tokens)
    assert all(len(code) > 2 for code in codes)
    assert {"plain", "bytes32", "renounced", "factory_create2", "transparent_proxy", "majority", "copy", "idle"} <= {
        token.kind for token in world.tokens
    }


def test_owners_are_what_the_contracts_say(world: World) -> None:
    owned = artifacts.load("OwnedToken")
    for token in world.tokens:
        if token.owner is not None or token.kind == "renounced":
            answer = world.anvil.rpc("eth_call", {"to": token.address, "data": owned.call("owner")}, "latest")
            assert owned.returns("owner", answer)[0] == (token.owner or "0x" + "00" * 20), token.key


def test_proxy_admins_are_in_their_slot(world: World) -> None:
    slot = "0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103"
    admins = [token for token in world.tokens if token.proxy_admin]
    assert admins
    for token in admins:
        assert "0x" + world.anvil.rpc("eth_getStorageAt", token.address, slot, "latest")[26:] == token.proxy_admin


def test_the_idle_token_never_moved_and_the_whale_has_most(world: World) -> None:
    assert not _logs(world, address=world.token("idle").address)
    whale = world.token("whale")
    assert whale.majority_holder is not None
    assert world.balance_of(whale.address, whale.majority_holder) * 2 > whale.supply_raw


def test_the_collection_emits_four_topics(world: World) -> None:
    logs = _logs(world, address=world.collectible, topics=[_TRANSFER])
    assert logs
    assert all(isinstance(log["topics"], list) and len(log["topics"]) == 4 for log in logs)


def test_pools_have_the_recorded_addresses_and_trades_on_every_protocol(world: World) -> None:
    traded = {log["address"] for log in _logs(world, topics=[artifacts.load("UniswapV2Pair").topic("Swap")])}
    traded |= {log["address"] for log in _logs(world, topics=[artifacts.load("UniswapV3Pool").topic("Swap")])}
    for log in _logs(world, address=world.dexes.v4_manager, topics=[artifacts.load("PoolManager").topic("Swap")]):
        topics = log["topics"]
        assert isinstance(topics, list)
        traded.add(topics[1])
    opened = {pool.address for pool in world.pools}
    assert traded <= opened
    assert {pool.protocol for pool in world.pools if pool.address in traded} == {
        "uniswap_v2", "uniswap_v3", "uniswap_v4",
    }  # fmt: skip


def test_the_deep_pools_price_the_native_coin(world: World) -> None:
    pair = artifacts.load("UniswapV2Pair")
    pool = next(pool for pool in world.pools if pool.protocol == "uniswap_v2" and pool.quote == world.stablecoin)
    answer = world.anvil.rpc("eth_call", {"to": pool.address, "data": pair.call("getReserves")}, "latest")
    reserves = dict(zip((pool.token0, pool.token1), pair.returns("getReserves", answer), strict=False))
    price = Decimal(reserves[world.stablecoin]) * 10**12 / Decimal(reserves[world.dexes.weth])
    assert 2800 < price < 3200


def test_most_swaps_succeed(world: World) -> None:
    assert len(_logs(world, topics=[artifacts.load("UniswapV2Pair").topic("Swap")])) > 100


def test_a_step_adds_a_block_of_actions(undone_world: World) -> None:
    before = undone_world.anvil.block_number()
    undone_world.step(30)
    assert undone_world.anvil.block_number() == before + 1
    block = undone_world.anvil.rpc("eth_getBlockByNumber", "latest", False)
    assert 25 <= len(block["transactions"]) <= 30


def test_the_chains_file_loads(world: World, tmp_path: Path) -> None:
    text = world.chain_toml("polygon")
    assert tomllib.loads(text)["chains"]["polygon"]["rpc_urls"] == [world.anvil.url]
    path = tmp_path / "chains.toml"
    path.write_text(world.chain_toml())
    chain = facts.load(path).by_key["base"]
    assert chain.wrapped_native == world.dexes.weth
    assert [dex.protocol for dex in chain.dexes] == ["uniswap_v2", "uniswap_v3", "uniswap_v4"]
    assert chain.contracts == ({"registry": world.registry} if world.registry else {})


@pytest.mark.parametrize("seed", [2])
def test_the_same_seed_makes_the_same_world(seed: int) -> None:
    now = 1_900_000_000
    heads = []
    for _ in range(2):
        with Anvil.start(genesis_time=now - HISTORY_SECONDS) as node:
            world = World.create(node, seed=seed, now=now)
            heads.append((node.rpc("eth_getBlockByNumber", hex(150), False)["hash"], [t.address for t in world.tokens]))
    assert heads[0] == heads[1]
