"""Registrations that have been inactive for long: found by their heartbeats, ended by their registry."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from eth_account import Account
from eth_account.signers.local import LocalAccount

from api.registrations.expiring import Step, advance, find_announced, find_inactive
from api.registrations.tasks import find_disputed
from indexer.contracts.registry import LOCAL_TERMS, contract, mint_calldata
from indexer.contracts.signer import KeySigner, Signer
from indexer.contracts.statements import MintAuthorization, sign
from indexer.devchain.anvil import Anvil
from tests.factories.registrations import BASE, add_registration, add_token, address, scored
from tests.fixtures.claims import ClaimChain
from warehouse.chains import facts
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain
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


def test_an_end_that_was_stopped_is_left_alone_for_as_long(store: Connection, warehouse: Warehouse) -> None:
    for number, days_ago in ((1, DAYS - 0.5), (2, DAYS + 0.5)):
        add_hours(warehouse, registered(store, number), "20")
        stopped = NOW - timedelta(days=days_ago)
        store.execute("UPDATE registration SET end_stopped_at = %s WHERE token_id = %s", (stopped, number))
    assert [one.token_id for one in find_inactive(store, warehouse, BASE_CHAIN, days=DAYS, now=NOW)] == [2]


def test_announced_expiries_are_found(store: Connection) -> None:
    for number, reason in ((1, "inactive"), (2, "challenge_upheld"), (3, None)):
        registered(store, number)
        store.execute("UPDATE registration SET pending_end = %s WHERE token_id = %s", (reason, number))
    assert find_announced(store, BASE_CHAIN) == [1]


def test_operators_hear_of_expiries_that_wait_for_the_guardian(store: Connection) -> None:
    for number, reason, objected, confirmed in (
        (1, "inactive", True, False), (2, "inactive", True, True), (3, "inactive", False, False),
        (4, "challenge_upheld", True, False),
    ):  # fmt: skip
        registered(store, number)
        store.execute(
            "UPDATE registration SET pending_end = %s, pending_end_due_at = %s, pending_end_objected_at = %s,"
            " pending_end_confirmed_at = %s WHERE token_id = %s",
            (reason, NOW, NOW if objected else None, NOW if confirmed else None, number),
        )
    (condition,) = find_disputed(store, {BASE: "base"})
    assert condition.key == "end_objected:base:1"
    assert "regalia guardian confirm-end --chain base --id 1" in condition.summary
    assert condition.details["dueAt"] == "2026-06-01T00:00:00Z"


@dataclass
class Registered:
    """A registered symbol on a chain of the test's own, and who ends it."""

    claims: ClaimChain
    chain: Chain
    signer: Signer
    owner: LocalAccount
    payer: LocalAccount
    guardian: LocalAccount
    token_id: int = 1

    def advance(self, *, inactive: bool = True, announced: bool = False) -> list[Step]:
        ids = [self.token_id]
        return list(advance(self.chain, self.signer, self.payer, ids if inactive else [], ids if announced else []))

    def call(self, wallet: LocalAccount, function: str) -> None:
        receipt = self.claims.send(wallet, self.claims.registry, contract().call(function, self.token_id))
        assert receipt["status"] == "0x1"

    def wait(self, seconds: int) -> None:
        self.claims.node.rpc("evm_increaseTime", seconds)
        self.claims.node.rpc("evm_mine")

    def is_registered(self) -> bool:
        call = {"to": self.claims.registry, "data": contract().call("tokenIdOf", "AURUM")}
        return int(self.claims.node.rpc("eth_call", call, "latest"), 16) == self.token_id


@pytest.fixture
def aurum(tmp_path: Path) -> Iterator[Registered]:
    """A node of the test's own, whose clock it may move."""
    with Anvil.start() as node:
        claims = ClaimChain(node, "", tmp_path / "chains.toml", None, None, "")  # type: ignore[arg-type]
        owner, payer, guardian, key = (claims.wallet() for _ in range(4))
        claims.registry = claims.deploy_registry(guardian, key.address, Account.create().address)
        now = int(node.rpc("eth_getBlockByNumber", "latest", False)["timestamp"], 16)
        mint = MintAuthorization(owner.address, "0x" + "70" * 20, "AURUM", 10**15, now + 900, 1)
        data = mint_calldata(mint, sign(KeySigner(key), 8453, claims.registry, mint))
        assert claims.send(owner, claims.registry, data, value=10**15)["status"] == "0x1"
        claims.chains_path.write_text(
            f'[chains.base]\nrpc_urls = ["{node.url}"]\n[chains.base.contracts]\nregistry = "{claims.registry}"\n'
        )
        chain = facts.load(claims.chains_path).by_key["base"]
        yield Registered(claims, chain, KeySigner(key), owner, payer, guardian)


def test_an_expiry_is_announced_and_executed_when_it_is_due(aurum: Registered) -> None:
    (announced,) = aurum.advance()
    assert announced.step == "announced"
    assert announced.transaction is not None
    (waiting,) = aurum.advance(announced=True)
    assert (waiting.step, waiting.transaction) == ("waiting", None)
    assert aurum.is_registered()
    aurum.wait(LOCAL_TERMS.end_delay)
    (ended,) = aurum.advance(announced=True)
    assert ended.step == "ended"
    assert not aurum.is_registered()


def test_an_objection_waits_for_the_guardian(aurum: Registered) -> None:
    aurum.advance()
    aurum.call(aurum.owner, "objectToEnd")
    aurum.wait(LOCAL_TERMS.end_delay + LOCAL_TERMS.objection_delay)
    assert [step.step for step in aurum.advance()] == ["objected"]
    aurum.call(aurum.guardian, "confirmEnd")
    assert [step.step for step in aurum.advance()] == ["ended"]
    assert not aurum.is_registered()


def test_a_registration_that_recovered_keeps_its_symbol(aurum: Registered) -> None:
    aurum.advance()
    assert [step.step for step in aurum.advance(inactive=False, announced=True)] == ["withdrawn"]
    aurum.wait(LOCAL_TERMS.end_delay)
    assert aurum.advance(inactive=False, announced=True) == []
    assert aurum.is_registered()


def test_a_pass_that_is_repeated_after_any_step_changes_nothing_twice(aurum: Registered) -> None:
    """As after a kill: what the next pass knows of the last one is what the chain says."""
    aurum.advance()
    assert [step.transaction for step in aurum.advance()] == [None]
    aurum.wait(LOCAL_TERMS.end_delay)
    aurum.advance()
    assert aurum.advance(announced=True) == [], "the index lags behind"
