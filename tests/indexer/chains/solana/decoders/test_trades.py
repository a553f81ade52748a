"""Rows of trades and reserves of constant product pools, from transactions as the program lays them out."""

from typing import Any

from indexer.chains.solana.accounts import TOKEN_2022_PROGRAM
from indexer.chains.solana.base58 import signature_bytes
from tests.factories.solana_blocks import Called, Held, Sent, raw, signature
from tests.factories.solana_pools import CPMM, SOL, Cpmm, anchor, sorted_mints, transfer
from tests.fixtures.solana_pools import PoolChain

MINTS = sorted_mints("coin", SOL)


def pool() -> Cpmm:
    return Cpmm("pool", MINTS)


def created() -> tuple[PoolChain, Cpmm]:
    chain, one = PoolChain(), pool()
    chain.index(one.create(1_000_000, 4_000_000))
    return chain, one


def brief(rows: dict[str, list[dict[str, Any]]], table: str, *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in rows.get(table, ())]


def reserves(rows: dict[str, list[dict[str, Any]]]) -> list[tuple[Any, ...]]:
    return brief(rows, "fact_pool_state", "reserve0_raw", "reserve1_raw")


def gains(rows: dict[str, list[dict[str, Any]]]) -> list[tuple[Any, ...]]:
    return brief(rows, "fact_swap", "amount0_raw", "amount1_raw")


def test_a_creation_gives_a_pool_and_its_first_reserves() -> None:
    sent = pool().create(1_000_000, 4_000_000)
    rows = PoolChain().index(sent)
    assert rows == {
        "fact_pool": [
            {
                "pool": raw("pool"),
                "protocol": b"constant_product",
                "exchange": b"raydium",
                "factory": raw(CPMM),
                "token0": raw(MINTS[0]),
                "token1": raw(MINTS[1]),
                "fee_ppm": 2500,
                "tick_spacing": 0,
                "hooks": b"",
                "block_number": 7,
                "log_index": 0,
                "transaction_hash": signature_bytes(signature(sent.name)),
            }
        ],
        "fact_pool_state": [
            {
                "pool": raw("pool"),
                "block_number": 7,
                "log_index": 0,
                "reserve0_raw": 1_000_000,
                "reserve1_raw": 4_000_000,
                "sqrt_price_x96": 0,
                "tick": 0,
            }
        ],
    }


def test_a_swap_is_what_the_vaults_gained_and_hold() -> None:
    chain, one = created()
    rows = chain.index(one.swap(0, 500, 1900), one.swap(1, 4000, 990))
    assert gains(rows) == [(500, -1900), (-990, 4000)]
    assert reserves(rows) == [(1_000_500, 3_998_100), (999_510, 4_002_100)]
    assert brief(rows, "fact_swap", "sender", "recipient", "sqrt_price_x96") == [(raw("payer"), b"", 0)] * 2


def test_a_swap_inside_a_router_counts() -> None:
    chain, one = created()
    inner = one.swap_call(0, 500, 1900)
    routed = Called("router", ["payer", "pool"], b"route", [transfer("payer", "fee", 9), inner])
    assert gains(chain.index(Sent("payer", [routed], one.vaults.move(500, -1900)))) == [(500, -1900)]


def test_accounts_from_lookup_tables_are_found() -> None:
    chain, one = created()
    looked_up = ["pool", *one.vaults.accounts, CPMM]
    held = one.vaults.move(500, -1900)
    sent = Sent("payer", [one.swap_call(0, 500, 1900)], held, looked_up=looked_up)
    # one.vaults moved before the call was laid out; the accounts are the same
    assert gains(chain.index(sent)) == [(500, -1900)]


def test_swaps_of_one_transaction_have_one_state_and_places_of_their_own() -> None:
    chain, one = created()
    calls = [one.swap_call(0, 500, 1900), one.swap_call(1, 1900, 499)]
    rows = chain.index(Sent("payer", calls, one.vaults.move(1, 0)))
    assert gains(rows) == [(500, -1900), (-499, 1900)]
    assert brief(rows, "fact_swap", "log_index") == [(0,), (1,)]
    assert reserves(rows) == [(1_000_001, 4_000_000)]


def test_deposits_and_withdrawals_are_no_trades() -> None:
    chain, one = created()
    rows = chain.index(one.deposit(100, 400), one.withdraw(50, 200))
    assert gains(rows) == []
    assert reserves(rows) == [(1_000_100, 4_000_400), (1_000_050, 4_000_200)]


def test_a_failed_transaction_changes_nothing() -> None:
    chain, one = created()
    sent = one.swap(0, 500, 1900)
    assert chain.index(Sent(sent.payer, sent.calls, sent.held, failed=True)) == {}


def test_tokens_sent_to_a_vault_by_hand_change_nothing() -> None:
    chain, one = created()
    assert chain.index(one.donate(0, 9_000_000)) == {}


def test_tokens_sent_to_a_vault_beside_a_swap_are_no_part_of_it() -> None:
    chain, one = created()
    calls = [one.swap_call(0, 500, 1900), transfer("o1", one.vaults.accounts[1], 10**9)]
    assert gains(chain.index(Sent("payer", calls, one.vaults.move(500, 10**9 - 1900)))) == [(500, -1900)]


def test_fees_that_the_creator_collects_are_gone_from_the_reserves() -> None:
    """Fees wait in the vaults: money that was there once must not stay on record."""
    chain, one = created()
    accounts = ["creator", "authority", "pool", "config", *one.vaults.accounts, *MINTS, "c0", "c1"]
    collect = Called(CPMM, accounts, anchor("collect_creator_fee"), [transfer(one.vaults.accounts[1], "c1", 3_000_000)])
    rows = chain.index(Sent("creator", [collect], one.vaults.move(0, -3_000_000)))
    assert reserves(rows) == [(1_000_000, 1_000_000)]
    assert gains(rows) == []


def test_after_an_undeclared_instruction_reserves_are_unknown_until_the_next_use() -> None:
    chain, one = created()
    drain = Called(CPMM, ["thief", "pool"], anchor("drain"), [transfer(one.vaults.accounts[1], "thief", 3_000_000)])
    assert reserves(chain.index(Sent("thief", [drain], one.vaults.move(0, -3_000_000)))) == [(0, 0)]
    assert reserves(chain.index(one.swap(0, 10, 5))) == [(1_000_010, 999_995)]
    both = Sent("thief", [drain, one.swap_call(0, 10, 5)], one.vaults.move(10, -5))
    assert reserves(chain.index(both)) == [(1_000_020, 999_990)]
    assert chain.index(Sent("owner", [Called(CPMM, ["admin", "pool"], anchor("update_pool_status"))])) == {}


def test_a_pool_of_another_program_does_not_exist() -> None:
    chain = PoolChain()
    copy = pool().create(10**12, 10**12)
    fake = Called("fake amm", copy.calls[0].accounts, copy.calls[0].data, copy.calls[0].calls)
    assert chain.index(Sent("creator", [fake], copy.held)) == {}


def test_a_program_that_calls_the_declared_one_does_not_speak_for_it() -> None:
    chain, one = created()
    fake = one.swap_call(0, 500, 1900, program="fake amm")
    assert chain.index(Sent("payer", [fake], one.vaults.move(500, -1900))) == {}


def test_a_pool_created_before_the_index_is_not_served() -> None:
    assert PoolChain().index(pool().swap(0, 5, 1)) == {}


def test_an_instruction_with_too_few_accounts_tells_nothing() -> None:
    chain, _ = created()
    assert chain.index(Sent("payer", [Called(CPMM, ["pool"], anchor("swap_base_input", bytes(16)))])) == {}


def test_what_a_token_withholds_was_not_gained() -> None:
    chain, one = created()
    one.vaults.program = TOKEN_2022_PROGRAM
    call = one.swap_call(0, 500, 1900)
    assert gains(chain.index(Sent("payer", [call], one.vaults.move(450, -1900)))) == [(450, -1900)]


def test_a_vault_that_pays_a_fee_too_has_not_lost_it_in_the_swap() -> None:
    chain, one = created()
    one.vaults.program = TOKEN_2022_PROGRAM
    accounts = ["owner", "authority", "pool", "config", *one.vaults.accounts]
    collect = Called(CPMM, accounts, anchor("collect_fund_fee"), [transfer(one.vaults.accounts[0], "fund", 30)])
    rows = chain.index(Sent("payer", [one.swap_call(0, 500, 1900), collect], one.vaults.move(470, -1900)))
    assert gains(rows) == [(500, -1900)]
    assert reserves(rows) == [(1_000_470, 3_998_100)]


def test_balances_of_other_tokens_are_no_sides() -> None:
    chain, one = created()
    held = [Held(account, "junk", 0, 10**9, "thief") for account in one.vaults.accounts]
    assert gains(chain.index(Sent("payer", [one.swap_call(0, 500, 1900)], held))) == []
