"""The claimable list."""

import asyncio
import random
from pathlib import Path
from typing import Any

from eth_utils.address import to_checksum_address

from api.warehouse import WarehouseReader
from tests.factories.registrations import BASE, add_registration, address
from tests.fixtures.service import Serve, Service
from warehouse.clickhouse import Warehouse
from warehouse.postgres import Connection

WALLET = address(0xD0E)
CHAINS = Path(__file__).parents[2] / "fixtures" / "claimable_chains.toml"


def publish(warehouse: Warehouse, version: int) -> None:
    warehouse.command(
        "INSERT INTO serve_publication (version, published_at) SELECT {version:UInt64}, now64(3)", {"version": version}
    )


def add_provenance(warehouse: Warehouse, token: int, symbol: str, **changes: Any) -> None:
    row = {
        "wallet": WALLET,
        "chain_id": BASE,
        "method": "deployer",
        "version": 1,
        "deleted": 0,
        "is_copy": 0,
        **changes,
    }
    warehouse.command(
        "INSERT INTO serve_provenance (wallet, chain_id, token, method, version, deleted, symbol, name, is_copy,"
        " as_of_block) SELECT unhex({wallet:String}), {chain_id:UInt32}, unhex({token:String}), {method:String},"
        " {version:UInt64}, {deleted:UInt8}, {symbol:String}, {symbol:String}, {is_copy:UInt8}, 1",
        {**row, "wallet": row["wallet"][2:], "token": address(token)[2:], "symbol": symbol},
    )


async def claimable(serve: Serve, warehouse_url: str, wallet: str = WALLET) -> list[tuple[str, str]]:
    async with serve(clickhouse_url=warehouse_url, chains=CHAINS) as service:
        answer = await service.client.get("/api/v2/registration/claimable", headers={"X-Wallet-Address": wallet})
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert body["total"] == len(body["tokens"])
    for token in body["tokens"]:
        assert token["qualification"]["method"] == "deployer"
        assert token["qualification"]["confidence"] == 1
    return [(token["chainId"], token["symbol"]) for token in body["tokens"]]


async def test_only_tokens_that_the_wallet_deployed_are_listed(
    serve: Serve, warehouse: Warehouse, warehouse_url: str, store: Connection
) -> None:
    add_provenance(warehouse, 1, "FREE")
    add_provenance(warehouse, 2, "ONARB", chain_id=42161)
    add_provenance(warehouse, 3, "OWNED", method="owner")
    add_provenance(warehouse, 4, "COPIED", is_copy=1)
    add_provenance(warehouse, 5, "GONE")
    add_provenance(warehouse, 5, "GONE", version=2, deleted=1)
    add_provenance(warehouse, 6, "LATER", version=3)
    add_provenance(warehouse, 7, "not a symbol")
    add_provenance(warehouse, 8, "USDC")
    add_provenance(warehouse, 9, "ONAVAX", chain_id=43114)
    add_provenance(warehouse, 14, "NOWHERE", chain_id=137)  # no registry there
    add_provenance(warehouse, 15, "Official")
    add_provenance(warehouse, 10, "OTHERS", wallet=address(0xBAD))
    add_provenance(warehouse, 11, "TAKEN")
    add_provenance(warehouse, 12, "SAMESYM")
    add_provenance(warehouse, 13, "EXPIRED")
    publish(warehouse, 2)
    add_registration(store, "TAKEN", token_address=address(11), token_id=1)
    add_registration(store, "SAMESYM", token_address=address(99), token_id=2)
    add_registration(store, "EXPIRED", token_address=address(13), token_id=3, expired_at="2020-01-01T00:00:00Z")
    assert await claimable(serve, warehouse_url) == [("42161", "ONARB"), ("8453", "EXPIRED"), ("8453", "FREE")]


async def test_a_registration_excludes_the_token_on_its_chain_only(
    serve: Serve, warehouse: Warehouse, warehouse_url: str, store: Connection
) -> None:
    for token, symbol in ((1, "ONE"), (2, "two"), (3, "THREE"), (4, "FOUR")):
        add_provenance(warehouse, token, symbol)
        add_provenance(warehouse, token, symbol, chain_id=42161)
    publish(warehouse, 1)
    add_registration(store, "OTHER", token_address=address(1), token_id=1)
    add_registration(store, "TWO", token_address=address(98), token_id=2, chain_id=42161)
    add_registration(store, "THREE", token_address=address(3), token_id=3, released_at="2020-01-01T00:00:00Z")
    add_registration(store, "FOUR", token_address=address(4), token_id=4)
    add_registration(store, "FOUR", token_address=address(4), token_id=4, chain_id=42161)
    assert await claimable(serve, warehouse_url) == [
        ("42161", "ONE"), ("42161", "THREE"), ("8453", "THREE"), ("8453", "two"),
    ]  # fmt: skip


async def test_registered_tokens_are_excluded_among_thousands(
    serve: Serve, warehouse: Warehouse, warehouse_url: str, store: Connection
) -> None:
    for token, symbol in ((1, "FREE"), (2, "TAKEN"), (3, "SAMESYM"), (4, "ENDED")):
        add_provenance(warehouse, token, symbol)
    publish(warehouse, 1)
    add_registration(store, "TAKEN", token_address=address(2))
    store.execute(
        "INSERT INTO registration (chain_id, token_id, block_hash, log_index, block_number, transaction_hash, registry,"
        " symbol, owner, token_address, fee_wei, with_receipt, minted_at) SELECT chain_id, token_id + number,"
        " block_hash, log_index + number, block_number, transaction_hash, registry, 'S' || number, owner,"
        " '0x' || lpad(to_hex(number + 4096), 40, '0'), 0, false, minted_at"
        " FROM registration, generate_series(1, 2100) AS number"
    )
    store.execute("UPDATE registration SET symbol = 'SAMESYM' WHERE symbol = 'S7'")
    store.execute(
        "UPDATE registration SET symbol = 'ENDED', token_address = %s, expired_at = now() WHERE symbol = 'S8'",
        (address(4),),
    )
    assert await claimable(serve, warehouse_url) == [("8453", "ENDED"), ("8453", "FREE")]


async def test_a_wallet_with_only_registered_tokens_gets_an_empty_list(
    serve: Serve, warehouse: Warehouse, warehouse_url: str, store: Connection
) -> None:
    add_provenance(warehouse, 1, "MINE")
    publish(warehouse, 1)
    add_registration(store, "MINE", token_address=address(1))
    assert await claimable(serve, warehouse_url) == []


async def test_tokens_are_those_of_the_published_version(
    serve: Serve, warehouse: Warehouse, warehouse_url: str
) -> None:
    add_provenance(warehouse, 1, "ZEBRA")
    add_provenance(warehouse, 1, "APE", version=2)
    add_provenance(warehouse, 2, "COPIED", is_copy=1)
    add_provenance(warehouse, 2, "CLEARED", version=2)
    add_provenance(warehouse, 3, "FINE")
    add_provenance(warehouse, 3, "USDC", version=2)
    publish(warehouse, 2)
    assert await claimable(serve, warehouse_url) == [("8453", "APE"), ("8453", "CLEARED")]


async def test_addresses_have_checksums(serve: Serve, warehouse: Warehouse, warehouse_url: str) -> None:
    source = random.Random(1)
    numbers = [source.getrandbits(160) for _ in range(50)] + [0xABCDEF, (1 << 160) - 1]
    for place, number in enumerate(numbers):
        add_provenance(warehouse, number, f"S{place}")
    publish(warehouse, 1)
    async with serve(clickhouse_url=warehouse_url, chains=CHAINS) as service:
        answer = await service.client.get("/api/v2/registration/claimable", headers={"X-Wallet-Address": WALLET})
    shown = {token["symbol"]: token["address"] for token in answer.json()["tokens"]}
    assert shown == {f"S{place}": to_checksum_address(address(number)) for place, number in enumerate(numbers)}


async def test_a_wallet_without_tokens_gets_an_empty_list(serve: Serve, warehouse_url: str) -> None:
    assert await claimable(serve, warehouse_url) == []
    assert await claimable(serve, warehouse_url, "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM") == []


async def test_a_missing_or_malformed_wallet_is_400(serve: Serve) -> None:
    async with serve() as service:
        for wallet in (None, "0x12", "hello", WALLET + "0"):
            headers = {} if wallet is None else {"X-Wallet-Address": wallet}
            answer = await service.client.get("/api/v2/registration/claimable", headers=headers)
            assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_PARAMS")
            assert answer.json()["error"].startswith("X-Wallet-Address: ")
        denied = await service.anonymous.get("/api/v2/registration/claimable", headers={"X-Wallet-Address": WALLET})
        assert denied.status_code == 401


async def test_a_repeated_wallet_is_400(service: Service) -> None:
    headers = [("X-API-Key", service.key), ("X-Wallet-Address", WALLET), ("X-Wallet-Address", address(1))]
    answer = await service.anonymous.get("/api/v2/registration/claimable", headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_PARAMS")
    assert answer.json()["error"] == "X-Wallet-Address: is given more than once"
    denied = await service.anonymous.get("/api/v2/registration/claimable", headers=headers[1:])
    assert denied.status_code == 401


async def test_a_failed_or_slow_lookup_is_503_and_not_an_empty_list(serve: Serve) -> None:
    headers = {"X-Wallet-Address": WALLET}
    async with serve(clickhouse_url="http://127.0.0.1:9/regalia", chains=CHAINS) as service:
        answer = await service.client.get("/api/v2/registration/claimable", headers=headers)
        assert answer.status_code == 503
        assert "tokens" not in answer.json()
    async with serve(claimable_timeout_seconds=0.1) as service:

        class Hanging(WarehouseReader):
            async def arrow(self, *_: Any, **__: Any) -> Any:
                await asyncio.sleep(60)

        service.services.warehouse = Hanging("", timeout_seconds=1)
        answer = await service.client.get("/api/v2/registration/claimable", headers=headers)
        assert answer.status_code == 503
        assert int(answer.headers["retry-after"]) > 0
