"""Whoever pays gas can have a token say anything. None of it fails a check of the data: publication would stop."""

import random

from pipelines.checks.check import Stops
from pipelines.checks.declared import CHECKS
from pipelines.checks.run import run_check
from pipelines.refresh import refresh
from pipelines.resources import Connections
from tests.factories.amounts import ETHER
from tests.factories.ledger import WETH, ZERO, Ledger, address
from tests.factories.markets import build_market
from warehouse import postgres

AMOUNTS = (0, 1, 10**18, 2**128, 2**255 - 1, 2**255, 2**256 - 1)
DEAD = "00" * 18 + "dead"


def lie(ledger: Ledger, tokens: list[str], chance: random.Random, transfers: int) -> None:
    """A block of transfers that never happened: without balances, from and to nobody, to oneself, of any amount."""
    ledger.mine(chance.choice((2, 3_600, 86_400)))
    for _ in range(transfers):
        token = chance.choice(tokens)
        wallets = (ZERO, DEAD, token, *map(address, range(0xF0, 0xF4)))
        ledger.transfer(token, chance.choice(wallets), chance.choice(wallets), chance.choice(AMOUNTS))


def test_false_transfers_of_any_kind_fail_no_check(ledger: Ledger, connections: Connections) -> None:
    chance = random.Random(16)
    build_market(ledger)
    ledger.mine()
    tokens = [
        ledger.token(0xBAD1, "USDC", supply=2**256 - 1, decimals=255),
        ledger.token(0xBAD2, "'); --", supply=2**255, decimals=None, name="' {x:String}", owner=ZERO),
        ledger.token(0xBAD3, "X" * 200, supply=1, decimals=0),
    ]
    for number, token in enumerate(tokens):
        pool = ledger.pool(0xBAD4 + number, token, WETH)
        ledger.sync(pool, 2**112 - 1, ETHER)
        ledger.swap(pool, 2**255 - 1, -(2**255))
        ledger.sync(pool, 0, 0)
    ledger.publish()
    everything = (connections.warehouse, connections.store, connections.chains)
    refresh(*everything)
    first = connections.warehouse.scalar("SELECT max(version) FROM serve_publication")
    for step in range(4):
        lie(ledger, tokens, chance, 1_000 if step == 1 else 60)
        ledger.publish()
        if step == 2:
            refresh(*everything, full=False)
            ledger.revert_last_unit()
            lie(ledger, tokens, chance, 60)
            ledger.publish()
        refresh(*everything, full=False)
    for check in CHECKS:
        outcome = run_check(connections, check, whole=True)
        assert check.stops is Stops.NOTHING or outcome.rows == [], check.name
    assert postgres.run(connections.store, "checks/list_holds") == []
    assert connections.warehouse.scalar("SELECT max(version) FROM serve_publication") > first
