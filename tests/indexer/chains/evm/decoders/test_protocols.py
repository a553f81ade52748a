"""Every protocol's decoder: constructed logs in, the complete list of rows out."""

from typing import Any

import pytest

from indexer.chains.evm.decoders import decode
from indexer.chains.evm.decoders.control import (
    ADMIN_CHANGED,
    OWNERSHIP_TRANSFERRED,
    ROLE_GRANTED,
    ROLE_REVOKED,
    UPGRADED,
)
from indexer.chains.evm.decoders.erc20 import DEPOSIT, TRANSFER, WITHDRAWAL
from indexer.chains.evm.decoders.frame import Dex, Scope
from indexer.chains.evm.decoders.uniswap_v2 import PAIR_CREATED, SYNC
from indexer.chains.evm.decoders.uniswap_v2 import SWAP as V2_SWAP
from indexer.chains.evm.decoders.uniswap_v3 import BURN, MINT, POOL_CREATED, SWAP_WITH_PROTOCOL_FEES
from indexer.chains.evm.decoders.uniswap_v3 import INITIALIZE as V3_INITIALIZE
from indexer.chains.evm.decoders.uniswap_v3 import SWAP as V3_SWAP
from indexer.chains.evm.decoders.uniswap_v4 import DYNAMIC_FEE, MODIFY_LIQUIDITY
from indexer.chains.evm.decoders.uniswap_v4 import INITIALIZE as V4_INITIALIZE
from indexer.chains.evm.decoders.uniswap_v4 import SWAP as V4_SWAP
from tests.factories.logs import HASH, log, parsed, rows
from warehouse.domain.registrations import (
    CANONICAL_PEER_CHANGED,
    END_ANNOUNCED,
    END_OBJECTED,
    END_VETOED,
    ENDED,
    MAINTAINER_CHANGED,
    MANAGER_CHANGED,
    METADATA_CHANGED,
    REGISTERED,
    RELEASED,
    SETTLED,
    SIGNER_SUSPENDED,
)
from warehouse.domain.vaults import CLOSED, OPENED, REDEEMED, SWAPPED


def account(number: int) -> str:
    return "0x" + f"{number:040x}"


TOKEN, OTHER, ALICE, BOB = account(0xA1), account(0xA2), account(0xB1), account(0xB2)
WRAPPED, REGISTRY, V2_FACTORY, V3_FACTORY, V4_MANAGER, POOL, VAULTS = (account(number) for number in range(0xC1, 0xC8))
ZERO = account(0)
SCOPE = Scope(
    wrapped_native=bytes.fromhex(WRAPPED[2:]),
    registry=bytes.fromhex(REGISTRY[2:]),
    vaults=bytes.fromhex(VAULTS[2:]),
    dexes=(
        Dex("uniswap_v2", b"fork", bytes.fromhex(V2_FACTORY[2:]), 2500),
        Dex("uniswap_v3", b"uniswap", bytes.fromhex(V3_FACTORY[2:]), 3000),
        Dex("uniswap_v4", b"uniswap", bytes.fromhex(V4_MANAGER[2:]), 3000),
    ),
)

POOL_ID = bytes(range(32))
DEAL = b"\xde" * 32


def tables(*logs: dict[str, Any], scope: Scope = SCOPE) -> dict[str, list[dict[str, Any]]]:
    """Rows by table, without raw_log unless it is requested."""
    found: dict[str, list[dict[str, Any]]] = {}
    for frame in decode(parsed(*logs), scope):
        found.setdefault(frame.table, []).extend(rows(frame.columns))
    return found


def place(index: int = 0, block: int = 7) -> dict[str, Any]:
    return {"block_number": block, "log_index": index, "transaction_hash": "0x" + f"{block:032x}{index:032x}"}


def transfer(token: str, sender: str, recipient: str, amount: int, index: int = 0) -> dict[str, Any]:
    return {
        **place(index), "token": token, "from_address": sender, "to_address": recipient, "amount_raw": amount,
    }  # fmt: skip


def test_transfers_mints_and_burns() -> None:
    assert tables(
        log(TOKEN, [TRANSFER, ALICE, BOB], ["uint256"], [5]),
        log(TOKEN, [TRANSFER, ZERO, ALICE], ["uint256"], [2**255 - 1], index=1),
        log(OTHER, [TRANSFER, BOB, ZERO], ["uint256"], [0], index=2),
    ) == {
        "fact_transfer": [
            transfer(TOKEN, ALICE, BOB, 5),
            transfer(TOKEN, ZERO, ALICE, 2**255 - 1, 1),
            transfer(OTHER, BOB, ZERO, 0, 2),
        ]
    }


@pytest.mark.parametrize(
    "event",
    [
        log(TOKEN, [TRANSFER, ALICE, BOB, account(9)]),  # ERC-721: the fourth topic is a token id
        log(TOKEN, [TRANSFER, ALICE, BOB]),  # no amount
        log(TOKEN, [TRANSFER, ALICE, BOB], ["uint256", "uint256"], [1, 2]),
        log(TOKEN, [TRANSFER], ["address", "address", "uint256"], [ALICE, BOB, 1]),  # nothing indexed
        log(TOKEN, [TRANSFER, b"\x01" * 32, BOB], ["uint256"], [1]),  # not an address
        log(TOKEN, [], ["uint256"], [1]),
        log(TOKEN, [b"\x07" * 32, ALICE, BOB], ["uint256"], [1]),
    ],
)
def test_events_that_resemble_a_transfer_are_ignored(event: dict[str, Any]) -> None:
    assert tables(event) == {}


def test_deposits_mint_and_withdrawals_burn_the_chains_wrapped_coin_only() -> None:
    assert tables(
        log(WRAPPED, [DEPOSIT, ALICE], ["uint256"], [3]),
        log(WRAPPED, [WITHDRAWAL, BOB], ["uint256"], [4], index=1),
        log(TOKEN, [DEPOSIT, ALICE], ["uint256"], [9], index=2),
    ) == {"fact_transfer": [transfer(WRAPPED, ZERO, ALICE, 3), transfer(WRAPPED, BOB, ZERO, 4, 1)]}


def test_a_deposit_that_also_emits_a_transfer_counts_once() -> None:
    same = {"transactionHash": "0x" + "77" * 32}
    found = tables(
        {**log(WRAPPED, [TRANSFER, ZERO, ALICE], ["uint256"], [3]), **same},
        {**log(WRAPPED, [DEPOSIT, ALICE], ["uint256"], [3], index=1), **same},
        {**log(WRAPPED, [DEPOSIT, ALICE], ["uint256"], [4], index=2), **same},
    )["fact_transfer"]
    assert [(row["log_index"], row["amount_raw"]) for row in found] == [(0, 3), (2, 4)]


def test_v2_pools_of_the_configured_factory_only() -> None:
    topics = [PAIR_CREATED, TOKEN, OTHER]
    found = tables(
        log(V2_FACTORY, topics, ["address", "uint256"], [POOL, 1]),
        log(account(0xBAD), topics, ["address", "uint256"], [account(0xBAD2), 1], index=1),
    )
    assert found["fact_pool"] == [
        {
            **place(), "pool": POOL, "protocol": "uniswap_v2", "exchange": "fork", "factory": V2_FACTORY,
            "token0": TOKEN, "token1": OTHER, "fee_ppm": 2500, "tick_spacing": 0, "hooks": "",
        }
    ]  # fmt: skip
    assert [row["address"] for row in found["raw_log"]] == [V2_FACTORY]
    assert found["raw_log"][0]["topics"][1] == "0x" + TOKEN[2:].rjust(64, "0")


def test_v2_swap_amounts_are_what_the_pool_gained() -> None:
    swap = log(POOL, [V2_SWAP, ALICE, BOB], ["uint256"] * 4, [100, 0, 2, 2**111])
    sync = log(POOL, [SYNC], ["uint112", "uint112"], [7, 8], index=1)
    nothing = {"sqrt_price_x96": 0, "tick": 0}
    assert tables(swap, sync) == {
        "fact_swap": [
            {
                **place(), "pool": POOL, "sender": ALICE, "recipient": BOB, "amount0_raw": 98,
                "amount1_raw": -(2**111), "liquidity": 0, **nothing,
            }
        ],
        "fact_pool_state": [
            {"block_number": 7, "log_index": 1, "pool": POOL, "reserve0_raw": 7, "reserve1_raw": 8, **nothing}
        ],
    }  # fmt: skip


def test_v3_pools_prices_swaps_and_positions() -> None:
    created = log(V3_FACTORY, [POOL_CREATED, TOKEN, OTHER, account(500)], ["int24", "address"], [10, POOL])
    begun = log(POOL, [V3_INITIALIZE], ["uint160", "int24"], [2**96, -5], index=1)
    swap_types = ["int256", "int256", "uint160", "uint128", "int24"]
    swap = log(POOL, [V3_SWAP, ALICE, BOB], swap_types, [-3, 4, 2**97, 9, -887272], index=2)
    forked = log(
        POOL,
        [SWAP_WITH_PROTOCOL_FEES, ALICE, BOB],
        [*swap_types, "uint128", "uint128"],
        [3, -4, 1, 2, 3, 4, 5],
        index=3,
    )
    low, high = (-100).to_bytes(32, "big", signed=True), (100).to_bytes(32, "big")
    mint = log(POOL, [MINT, ALICE, low, high], ["address", "uint128", "uint256", "uint256"], [BOB, 50, 1, 1], index=4)
    burn = log(POOL, [BURN, ALICE, low, high], ["uint128", "uint256", "uint256"], [20, 1, 1], index=5)
    found = tables(created, begun, swap, forked, mint, burn)
    assert found["fact_pool"] == [
        {
            **place(), "pool": POOL, "protocol": "uniswap_v3", "exchange": "uniswap", "factory": V3_FACTORY,
            "token0": TOKEN, "token1": OTHER, "fee_ppm": 500, "tick_spacing": 10, "hooks": "",
        }
    ]  # fmt: skip
    assert found["fact_pool_state"] == [
        {
            "block_number": 7, "log_index": 1, "pool": POOL, "reserve0_raw": 0, "reserve1_raw": 0,
            "sqrt_price_x96": 2**96, "tick": -5,
        }
    ]  # fmt: skip
    wallets = {"pool": POOL, "sender": ALICE, "recipient": BOB}
    assert found["fact_swap"] == [
        {
            **place(2), **wallets, "amount0_raw": -3, "amount1_raw": 4, "sqrt_price_x96": 2**97, "liquidity": 9,
            "tick": -887272,
        },
        {
            **place(3), **wallets, "amount0_raw": 3, "amount1_raw": -4, "sqrt_price_x96": 1, "liquidity": 2, "tick": 3,
        },
    ]  # fmt: skip
    ticks = {"pool": POOL, "tick_lower": -100, "tick_upper": 100}
    assert found["fact_liquidity"] == [
        {**place(4), **ticks, "liquidity_delta": 50},
        {**place(5), **ticks, "liquidity_delta": -20},
    ]


def test_v4_pools_positions_and_swaps_with_the_pools_sign() -> None:
    begin_types = ["uint24", "int24", "address", "uint160", "int24"]
    begun = log(V4_MANAGER, [V4_INITIALIZE, POOL_ID, ZERO, TOKEN], begin_types, [500, 10, BOB, 2**96, 3])
    dynamic = log(
        V4_MANAGER, [V4_INITIALIZE, b"\x09" * 32, ZERO, TOKEN], begin_types, [DYNAMIC_FEE, 1, ZERO, 1, 0], index=1
    )
    swap_types = ["int128", "int128", "uint160", "uint128", "int24", "uint24"]
    swap = log(V4_MANAGER, [V4_SWAP, POOL_ID, ALICE], swap_types, [-100, 90, 5, 6, -7, 500], index=2)
    elsewhere = log(account(0xBAD), [V4_SWAP, POOL_ID, ALICE], swap_types, [1, -1, 5, 6, 7, 500], index=3)
    moved = log(
        V4_MANAGER, [MODIFY_LIQUIDITY, POOL_ID, ALICE], ["int24", "int24", "int256", "bytes32"], [-1, 1, -8, bytes(32)],
        index=4,
    )  # fmt: skip
    found = tables(begun, dynamic, swap, elsewhere, moved)
    pool_id = "0x" + POOL_ID.hex()
    assert [(row["pool"], row["fee_ppm"], row["hooks"], row["token0"]) for row in found["fact_pool"]] == [
        (pool_id, 500, BOB, ZERO),
        ("0x" + "09" * 32, 0, "", ZERO),
    ]
    assert [(row["pool"], row["sqrt_price_x96"], row["tick"]) for row in found["fact_pool_state"]] == [
        (pool_id, 2**96, 3),
        ("0x" + "09" * 32, 1, 0),
    ]
    assert found["fact_swap"] == [
        {
            **place(2), "pool": pool_id, "sender": ALICE, "recipient": "", "amount0_raw": 100, "amount1_raw": -90,
            "sqrt_price_x96": 5, "liquidity": 6, "tick": -7,
        }
    ]  # fmt: skip
    assert found["fact_liquidity"] == [
        {**place(4), "pool": pool_id, "tick_lower": -1, "tick_upper": 1, "liquidity_delta": -8}
    ]


def test_control_changes() -> None:
    minter_role = b"\x05" * 32
    found = tables(
        log(TOKEN, [OWNERSHIP_TRANSFERRED, ALICE, ZERO]),
        log(TOKEN, [ROLE_GRANTED, bytes(32), BOB, ALICE], index=1),
        log(TOKEN, [ROLE_GRANTED, minter_role, BOB, ALICE], index=2),
        log(TOKEN, [ROLE_REVOKED, bytes(32), BOB, ALICE], index=3),
        log(TOKEN, [ADMIN_CHANGED], ["address", "address"], [ALICE, BOB], index=4),
        log(TOKEN, [UPGRADED, OTHER], index=5),
    )
    assert found["fact_control"] == [
        {**place(index), "address": TOKEN, "kind": kind, "previous_account": before, "account": after, "signed": 0}
        for index, kind, before, after in (
            (0, "owner", ALICE, ZERO),
            (1, "default_admin_granted", "", BOB),
            (3, "default_admin_revoked", "", BOB),
            (4, "proxy_admin", ALICE, BOB),
            (5, "implementation", "", OTHER),
        )
    ]
    assert len(found["raw_log"]) == 5


def test_registry_events_of_our_own_registry_only() -> None:
    token_id = (7).to_bytes(32, "big")
    registered = [["string", "uint256", "bool"], ["AURUM", 10**15, True]]
    found = tables(
        log(REGISTRY, [REGISTERED.topic, token_id, ALICE, TOKEN], *registered),
        log(account(0xBAD), [REGISTERED.topic, token_id, ALICE, TOKEN], *registered, index=1),
        log(REGISTRY, [MANAGER_CHANGED.topic, token_id, BOB], ["bool"], [True], index=2),
        log(REGISTRY, [MAINTAINER_CHANGED.topic, token_id, BOB], ["bool"], [False], index=3),
        log(REGISTRY, [METADATA_CHANGED.topic, token_id], ["string"], ["bafy" + "x" * 60], index=4),
        log(REGISTRY, [CANONICAL_PEER_CHANGED.topic, token_id], ["uint256", "uint256"], [1, 2**70], index=5),
        log(REGISTRY, [RELEASED.topic, token_id, ALICE], ["string"], ["AURUM"], index=6),
        log(REGISTRY, [ENDED.topic, token_id, ALICE], ["string", "uint8"], ["AURUM", 2], index=7),
        log(
            REGISTRY,
            [SETTLED.topic, token_id, (8).to_bytes(32, "big"), ALICE],
            ["bytes32", "address", "uint256"],
            [DEAL, TOKEN, 10**30],
            index=8,
        ),
        log(REGISTRY, [END_ANNOUNCED.topic, token_id, ALICE], ["uint8", "uint64"], [1, 1_900_000_000], index=9),
        log(REGISTRY, [END_OBJECTED.topic, token_id, ALICE], ["uint64"], [2**40], index=10),
        log(REGISTRY, [END_VETOED.topic, token_id], [], [], index=11),
        log(REGISTRY, [SIGNER_SUSPENDED.topic, BOB], [], [], index=12),
    )["fact_registry_event"]
    empty = {
        "block_hash": HASH, "registry": REGISTRY, "token_id": 7, "symbol": "", "owner": "", "token_address": "",
        "fee_wei": 0, "with_receipt": 0, "account": "", "enabled": 0, "metadata_cid": "", "peer_chain_id": 0,
        "peer_token_id": 0, "reason": 0, "due_at": 0, "new_token_id": 0, "deal": "",
    }  # fmt: skip
    expected = [
        (
            0, "registered",
            {"symbol": "AURUM", "owner": ALICE, "token_address": TOKEN, "fee_wei": 10**15, "with_receipt": 1},
        ),
        (6, "released", {"symbol": "AURUM", "owner": ALICE}),
        (7, "ended", {"symbol": "AURUM", "owner": ALICE, "reason": 2}),
        (8, "settled", {"owner": ALICE, "new_token_id": 8, "deal": "0x" + DEAL.hex()}),
        (9, "end_announced", {"owner": ALICE, "reason": 1, "due_at": 1_900_000_000}),
        (10, "end_objected", {"owner": ALICE, "due_at": 2**32 - 1}),
        (11, "end_vetoed", {}),
        (12, "signer_suspended", {"token_id": 0, "account": BOB}),
        (2, "manager", {"account": BOB, "enabled": 1}),
        (3, "maintainer", {"account": BOB}),
        (4, "metadata", {"metadata_cid": "bafy" + "x" * 60}),
        (5, "canonical_peer", {"peer_chain_id": 1, "peer_token_id": 2**64 - 1}),
    ]  # fmt: skip
    assert found == [{**place(index), **empty, "kind": kind, **fields} for index, kind, fields in expected]


def test_events_of_our_own_vaults_only() -> None:
    id, amounts = b"\x1d" * 32, ["uint256", "uint256"]
    found = tables(
        log(VAULTS, [OPENED.topic, DEAL, id, ALICE], ["address", "uint256"], [POOL, 10**30]),
        log(VAULTS, [SWAPPED.topic, DEAL, id, BOB], amounts, [3, 2**254]),
        log(account(0xBAD), [SWAPPED.topic, DEAL, id, BOB], amounts, [3, 2], index=2),
        log(VAULTS, [REDEEMED.topic, DEAL, id, BOB], amounts, [5, 4], index=3),
        log(VAULTS, [CLOSED.topic, DEAL, id, ALICE], ["uint256"], [9], index=4),
    )["fact_vault_event"]
    assert [(row["kind"], row["account"], row["given_raw"], row["paid_raw"]) for row in found] == [
        ("opened", ALICE, 10**30, 0),
        ("swapped", BOB, 3, 2**254),
        ("redeemed", BOB, 5, 4),
        ("closed", ALICE, 0, 9),
    ]
    assert {(row["vaults"], row["deal"], row["vault_id"]) for row in found} == {
        (VAULTS, "0x" + DEAL.hex(), "0x" + id.hex())
    }


def test_a_chain_without_registry_or_dexes_has_only_transfers() -> None:
    token_id = (7).to_bytes(32, "big")
    found = tables(
        log(TOKEN, [TRANSFER, ALICE, BOB], ["uint256"], [5]),
        log(REGISTRY, [RELEASED.topic, token_id, ALICE], ["string"], ["AURUM"], index=1),
        log(VAULTS, [CLOSED.topic, DEAL, DEAL, ALICE], ["uint256"], [9], index=3),
        log(V2_FACTORY, [PAIR_CREATED, TOKEN, OTHER], ["address", "uint256"], [POOL, 1], index=2),
        scope=Scope(),
    )
    assert list(found) == ["fact_transfer"]
