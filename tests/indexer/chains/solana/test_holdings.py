"""Answers about token accounts that must not become a balance. Holdings on a real node:
tests/api/public/test_solana_holdings.py."""

import base64
import struct
from typing import Any

import pytest
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from indexer.chains.errors import NodeLied, NodeUnavailable, RpcError, TooManyAccounts
from indexer.chains.solana.accounts import TOKEN_2022_PROGRAM, TOKEN_PROGRAM
from indexer.chains.solana.holdings import read_holding
from tests.fixtures.canned_node import Node, reading

MINT, WALLET, OTHER = (Keypair().pubkey() for _ in range(3))


def account(data: bytes, owner: str = TOKEN_PROGRAM) -> dict[str, Any]:
    """An account as nodes write it."""
    return {"data": [base64.b64encode(data).decode(), "base64"], "owner": owner, "lamports": 1}


def held(
    amount: int, *, mint: Pubkey = MINT, wallet: Pubkey = WALLET, state: int = 1, owner: str = TOKEN_PROGRAM
) -> dict[str, Any]:
    """A token account in a list."""
    data = bytes(mint) + bytes(wallet) + struct.pack("<Q", amount) + bytes(36) + bytes([state]) + bytes(56)
    return {"pubkey": str(Keypair().pubkey()), "account": account(data, owner)}


def node(listed: Any, *, mint: dict[str, Any] | None = None, **changes: Any) -> Node:
    """A node with an initialised mint of SPL Token and these token accounts."""
    mint = mint or account(bytes(45) + b"\1" + bytes(36))
    clock = account(bytes(32) + struct.pack("<q", 1_700_000_000), "Sysvar1111111111111111111111111111111111111")
    results = {
        "getMultipleAccounts": {"context": {"slot": 9}, "value": [mint, clock]},
        "getTokenAccountsByOwner": {"context": {"slot": 10}, "value": listed},
    }
    return Node(results=results, **changes)


async def balance(node: Node) -> int | None:
    async with reading(node) as reader:
        found = await read_holding(reader, str(MINT), str(WALLET))
    if found is None:
        return None
    assert (found.block, found.time_seconds) == (9, 1_700_000_000)
    return found.balance_raw


async def test_accounts_are_summed_without_overflow() -> None:
    largest = 2**64 - 1
    assert await balance(node([])) == 0
    assert await balance(node([held(largest), held(largest, state=2), held(7, state=0)])) == 2 * largest


async def test_an_account_that_is_listed_twice_counts_once() -> None:
    one = held(5)
    assert await balance(node([one, one, held(2)])) == 7


@pytest.mark.parametrize(
    "listed",
    [
        [held(5, wallet=OTHER)],
        [held(5, mint=OTHER)],
        [held(5, owner=TOKEN_2022_PROGRAM)],
        [{"pubkey": "x", "account": account(bytes(72))}],
        [{"pubkey": "x", "account": None}],
        [{"account": account(bytes(165))}],
        {"not": "a list"},
        None,
    ],
    ids=["another wallet", "another mint", "another program", "cut", "none", "no address", "no list", "null"],
)
async def test_what_a_node_makes_up_is_refused(listed: Any) -> None:
    with pytest.raises(NodeLied):
        await balance(node(listed))


@pytest.mark.parametrize("code", [-32602, -32010, -32005])
async def test_a_mint_whose_accounts_are_not_listed_is_unreadable_and_not_zero(code: int) -> None:
    refusing = node([], errors={"getTokenAccountsByOwner": {"code": code, "message": "no"}})
    with pytest.raises(RpcError):
        await balance(refusing)


async def test_more_accounts_than_one_answer_holds() -> None:
    thousands = node([held(1)] * 20_000)
    with pytest.raises(TooManyAccounts):
        await balance(thousands)
    assert len(thousands.asked) == 1  # no other node would say more
    refusing = node([], errors={"getTokenAccountsByOwner": {"code": -32600, "message": "response size exceeds 5 MB"}})
    with pytest.raises(TooManyAccounts):
        await balance(refusing)


async def test_an_account_that_is_no_mint_has_no_balances() -> None:
    for data, owner in (
        (bytes(82), TOKEN_PROGRAM), (bytes(45) + b"\1" + bytes(36), str(OTHER)), (bytes(165), TOKEN_PROGRAM),
        (bytes(45) + b"\1" + bytes(119) + b"\2", TOKEN_2022_PROGRAM),
    ):  # fmt: skip
        assert await balance(node([held(5)], mint=account(data, owner))) is None


async def test_a_node_without_a_clock_is_not_believed() -> None:
    silent = node([])
    silent.results["getMultipleAccounts"]["value"][1] = None
    with pytest.raises((NodeLied, NodeUnavailable)):
        await balance(silent)
