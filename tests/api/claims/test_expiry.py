"""Registrations that have been inactive for long: found by their heartbeats, ended by their registry."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pyarrow as pa
import pytest
from eth_account.signers.local import LocalAccount

from api.registrations.expiring import Inactive, expire, find_inactive
from indexer.chains.errors import RpcError
from indexer.contracts import signer as signers
from indexer.contracts.registry import contract
from tests.factories.registrations import BASE, add_registration, add_token, address, scored
from tests.fixtures.claims import ClaimChain, Claimer
from tests.fixtures.service import Service
from warehouse.chains import facts
from warehouse.clickhouse import Warehouse
from warehouse.postgres import Connection

DAYS = 3
NOW = datetime(2026, 6, 1, tzinfo=UTC)
BASE_CHAIN = facts.load(None).by_key["base"]


def add_hours(warehouse: Warehouse, token: str, score: str, *, hours: int = 24 * DAYS, last: datetime = NOW) -> None:
    """The same score in each of so many hours before a moment."""
    moment = pa.timestamp("s", tz="UTC")
    figures = ("score", "timestamp_score", "volume_score", "holders_score", "confidence_score")
    warehouse.insert_arrow(
        "agg_heartbeat",
        pa.table(
            {
                "chain_id": pa.array([BASE] * hours, pa.uint32()),
                "token": pa.array([bytes.fromhex(token[2:])] * hours, pa.binary()),
                "hour": pa.array([last - timedelta(hours=1 + hour) for hour in range(hours)], moment),
                "symbol_key": pa.array(["X"] * hours),
                **{name: pa.array([Decimal(score)] * hours, pa.decimal128(5, 2)) for name in figures},
                "weights_version": pa.array([1] * hours, pa.uint16()),
                "inputs": pa.array(["{}"] * hours),
                "as_of_block": pa.array([1] * hours, pa.uint64()),
                "computed_at": pa.array([last] * hours, moment),
            }
        ),
    )


def registered(store: Connection, number: int, *, score: str = "20", minted_days_ago: float = 100) -> str:
    place = address(0x500 + number)
    add_token(store, f"S{number}", address=place, **scored(score))
    minted = NOW - timedelta(days=minted_days_ago)
    add_registration(
        store, f"S{number}", token_id=number, token_address=place, is_final=True, minted_at=minted, log_index=number
    )
    return place


def test_only_registrations_inactive_throughout_are_found(store: Connection, warehouse: Warehouse) -> None:
    add_hours(warehouse, registered(store, 1), "59.99")
    recovered = registered(store, 2)
    add_hours(warehouse, recovered, "20", hours=24 * DAYS - 1)
    add_hours(warehouse, recovered, "60", hours=1, last=NOW - timedelta(hours=24 * DAYS - 1))
    add_hours(warehouse, registered(store, 3), "20", hours=int(24 * DAYS * 0.8))
    add_hours(warehouse, registered(store, 4, score="80"), "20")
    add_hours(warehouse, registered(store, 5, minted_days_ago=30 + DAYS - 0.5), "20")
    add_hours(warehouse, registered(store, 6), "20", hours=24 * DAYS - 5)
    found = find_inactive(store, warehouse, BASE_CHAIN, days=DAYS, now=NOW)
    assert [(one.token_id, one.hours, one.highest) for one in found] == [(1, 72, 59.99), (6, 67, 20.0)]


async def test_an_expired_registration_frees_its_symbol(claim_chain: ClaimChain, claim_service: Service) -> None:
    wallet, payer = claim_chain.wallet(), claim_chain.wallet()
    token = claim_chain.token(wallet, "Aurum")
    claim_chain.index()
    claim_chain.price_native()
    claimer = Claimer(claim_service, "AURUM", token, wallet.address)
    built = (await claimer.build((await claimer.prove(wallet))["proofHash"])).json()["transaction"]
    claim_chain.send(wallet, built["to"], built["data"], int(built["value"], 16))

    chain = facts.load(claim_chain.chains_path).by_key["base"]
    signer: LocalAccount = signers.load_or_create(claim_service.services.settings.data_dir)
    inactive = Inactive(1, "AURUM", wallet.address, token, 72, 10.0)
    hashes = expire(chain, signer, payer, [inactive])
    assert claim_chain.node.rpc("eth_getTransactionReceipt", hashes[0])["status"] == "0x1"
    call = {"to": claim_chain.registry, "data": contract().call("tokenIdOf", "AURUM")}
    assert int(claim_chain.node.rpc("eth_call", call, "latest"), 16) == 0
    with pytest.raises(RpcError, match="revert"):
        expire(chain, signer, payer, [inactive])
