"""What a wallet holds, read from a real chain."""

from pathlib import Path

import httpx
import pytest
from eth_utils.address import to_checksum_address

from indexer.devchain.anvil import Anvil
from indexer.devchain.world import World
from tests.fixtures.service import Serve, Service

NOBODY = "0x000000000000000000000000000000000000dEaD"


@pytest.fixture
def chains(tmp_path: Path, world: World) -> Path:
    path = tmp_path / "chains.toml"
    chain_id = int(world.anvil.rpc("eth_chainId"), 16)
    path.write_text(
        f'[chains.base]\nchain_id = {chain_id}\nrpc_urls = ["{world.anvil.url}"]\n'
        '[chains.eth]\nrpc_urls = ["http://127.0.0.1:9"]\n'
    )
    return path


async def holding(service: Service, chain: str, token: str, wallet: str) -> httpx.Response:
    return await service.anonymous.get(f"/api/v2/public/holdings/{chain}/{token}/{wallet}")


def some_holder(anvil: Anvil, token: str) -> tuple[str, int]:
    """A wallet that holds some of the token, by its transfers, and how much."""
    topic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
    logs = anvil.rpc("eth_getLogs", {"address": token, "topics": [topic], "fromBlock": "0x0", "toBlock": "latest"})
    for log in reversed(logs):
        wallet = "0x" + log["topics"][2][-40:]
        call = {"to": token, "data": "0x70a08231" + wallet[2:].rjust(64, "0")}
        if balance := int(anvil.rpc("eth_call", call, "latest"), 16):
            return wallet, balance
    raise AssertionError("no wallet holds the token")


async def test_holdings_of_any_token_are_read(serve: Serve, chains: Path, world: World) -> None:
    token = world.stablecoin
    wallet, balance = some_holder(world.anvil, token)
    async with serve(chains=chains) as service:
        answer = await holding(service, "base", token.lower(), wallet)
        body = answer.json()
        head = int(world.anvil.rpc("eth_blockNumber"), 16)
        stranger = (await holding(service, "base", token, "0x" + "12" * 20)).json()
    assert body.pop("asOf")["block"] == head
    assert body == {
        "chain": "base", "chainId": f"eip155:{int(world.anvil.rpc('eth_chainId'), 16)}",
        "token": to_checksum_address(token), "wallet": to_checksum_address(wallet), "balance": str(balance),
        "holds": True,
    }  # fmt: skip
    assert answer.headers["cache-control"] == "public, max-age=30, stale-while-revalidate=30"
    assert (stranger["balance"], stranger["holds"]) == ("0", False)


async def test_an_invalid_token_or_address_is_404(serve: Serve, chains: Path, world: World) -> None:
    token = world.stablecoin
    wrong_sum = to_checksum_address(token)[:2] + to_checksum_address(token)[2:].swapcase()
    async with serve(chains=chains) as service:
        for chain, address in (
            ("base", NOBODY), ("base", "0x12"), ("base", wrong_sum), ("arbitrum", token), ("solana", token),
        ):  # fmt: skip
            answer = await holding(service, chain, address, NOBODY)
            assert (answer.status_code, answer.json()["code"]) == (404, "not_found"), (chain, address)


async def test_an_unreadable_chain_is_503_and_not_zero(serve: Serve, chains: Path) -> None:
    async with serve(chains=chains, chain_timeout_seconds=0.5) as service:
        answer = await holding(service, "eth", NOBODY, NOBODY)
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert answer.headers["cache-control"] == "no-store"
    assert "retry-after" in answer.headers


async def test_a_recent_answer_is_served_while_the_chain_is_down(serve: Serve, chains: Path, world: World) -> None:
    token = world.stablecoin
    wallet, _ = some_holder(world.anvil, token)
    async with serve(chains=chains) as service:
        first = await holding(service, "base", token, wallet)
        cache = service.services.public_reads._holdings.cache
        for entry in cache._entries.values():
            entry.computed_at -= 45  # stale, but not too old to be served
        service.services.readers._readers["base"].nodes.nodes[0].url = "http://127.0.0.1:9"
        again = await holding(service, "base", token, wallet)
        for entry in cache._entries.values():
            entry.computed_at -= 20
        late = await holding(service, "base", token, wallet)
    assert (again.status_code, again.content) == (200, first.content)
    assert late.status_code == 503


async def test_holdings_have_their_own_limit(serve: Serve, chains: Path, world: World) -> None:
    token = world.stablecoin
    async with serve(chains=chains, limits=None) as service:
        statuses = [(await holding(service, "base", token, NOBODY)).status_code for _ in range(61)]
        other = await service.anonymous.get("/api/v2/public/coins/base/NONE")
    assert statuses == [200] * 60 + [429]
    assert other.status_code in (404, 503)
