"""Rows of fact_transfer from balances before and after."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.chains.solana.accounts import TOKEN_2022_PROGRAM, TOKEN_PROGRAM
from indexer.chains.solana.blocks import DecodedBlock
from indexer.chains.solana.decoders.frame import Scope
from indexer.chains.solana.decoders.transfers import NATIVE_MINTS, NOBODY, decode, pair
from tests.factories.solana_blocks import Called, Held, Sent, block, raw

NONE: Any = None
SCOPE: Scope = NONE  # no fact of the chain matters here


def transfers(decoded: DecodedBlock) -> list[tuple[bytes, bytes, bytes, int]]:
    """(mint, sender, receiver, amount) of each row."""
    columns = decode(decoded, SCOPE).get("fact_transfer")
    names = ("token", "from_address", "to_address", "amount_raw")
    return list(zip(*(columns[name] for name in names), strict=True)) if columns else []


def of(*held: Held, calls: tuple[Called, ...] = ()) -> list[tuple[bytes, bytes, bytes, int]]:
    return transfers(block(Sent("payer", calls, held)))


def amount(tag: int, value: int, rest: bytes = b"") -> bytes:
    return bytes([tag]) + value.to_bytes(8, "little") + rest


def test_an_empty_block_has_no_rows() -> None:
    assert decode(block(), SCOPE) == {}


def test_tokens_move_between_owners_and_not_between_accounts() -> None:
    assert of(Held("a1", "mint", 100, 60, "alice"), Held("b1", "mint", 5, 45, "bob")) == [
        (raw("mint"), raw("alice"), raw("bob"), 40)
    ]
    assert of(Held("a1", "mint", 100, 60, "alice"), Held("a2", "mint", None, 40, "alice")) == []


def test_what_owners_gain_together_was_minted_and_what_they_lose_burned() -> None:
    assert of(Held("a1", "mint", None, 9, "alice")) == [(raw("mint"), NOBODY, raw("alice"), 9)]
    assert of(Held("a1", "mint", 9, 2, "alice")) == [(raw("mint"), raw("alice"), NOBODY, 7)]


def test_closed_and_reopened_accounts_count_for_the_owner_of_each_side() -> None:
    closed = Held("a1", "mint", 30, None, "alice")
    opened = Held("a2", "mint", None, 30, "bob")
    assert of(closed, opened) == [(raw("mint"), raw("alice"), raw("bob"), 30)]
    handed_over = Held("a1", "mint", 30, 30, "alice", new_owner="bob")
    assert of(handed_over) == [(raw("mint"), raw("alice"), raw("bob"), 30)]


def test_an_account_reopened_for_another_mint_loses_one_and_gains_the_other() -> None:
    first, second = Held("a1", "one", 4, None, "alice"), Held("a1", "two", None, 6, "alice")
    assert of(first, second) == [(raw("one"), raw("alice"), NOBODY, 4), (raw("two"), NOBODY, raw("alice"), 6)]


def test_a_swap_gives_one_row_per_mint() -> None:
    rows = of(
        Held("a1", "one", 50, 40, "alice"), Held("v1", "one", 7, 17, "pool"),
        Held("a2", "two", 0, 3, "alice"), Held("v2", "two", 9, 6, "pool"),
    )  # fmt: skip
    assert rows == [(raw("one"), raw("alice"), raw("pool"), 10), (raw("two"), raw("pool"), raw("alice"), 3)]


def test_failed_transactions_move_nothing() -> None:
    moved = Held("a1", "mint", None, 9, "alice")
    assert transfers(block(Sent("payer", (), (moved,), failed=True))) == []


def test_accounts_from_lookup_tables_are_found() -> None:
    moved = (Held("a1", "mint", 9, 4, "alice"), Held("b1", "mint", 0, 5, "bob"))
    assert transfers(block(Sent("payer", (), moved, looked_up=("a1", "b1")))) == [
        (raw("mint"), raw("alice"), raw("bob"), 5)
    ]


def test_log_indexes_count_transactions_and_rows() -> None:
    gained = Held("a1", "mint", 0, 1, "alice")
    both = (gained, Held("a2", "other", 0, 2, "alice"))
    columns = decode(block(Sent("p", (), (gained,), failed=True), Sent("p", (), both), Sent("p", (), (gained,))), SCOPE)
    assert columns["fact_transfer"]["log_index"] == [4096, 4097, 8192]


def test_wrapped_sol_is_minted_and_burned_without_instructions() -> None:
    for native in sorted(NATIVE_MINTS):
        program = TOKEN_PROGRAM if native.startswith("So") else TOKEN_2022_PROGRAM
        synced = (Called(program, ("a1",), b"\x11"),)
        assert of(Held("a1", native, 0, 5, "alice", program=program), calls=synced) == [
            (raw(native), NOBODY, raw("alice"), 5)
        ]


def test_withheld_fees_are_held_by_the_mint() -> None:
    moved = (
        Held("a1", "mint", 100, 0, "alice", program=TOKEN_2022_PROGRAM),
        Held("b1", "mint", 0, 98, "bob", program=TOKEN_2022_PROGRAM),
    )
    calls = (Called(TOKEN_2022_PROGRAM, ("a1", "mint", "b1", "alice"), amount(12, 100, b"\6")),)
    assert of(*moved, calls=calls) == [
        (raw("mint"), raw("alice"), raw("bob"), 98),
        (raw("mint"), raw("alice"), raw("mint"), 2),
    ]
    withdrawn = Held("c1", "mint", 0, 2, "carol", program=TOKEN_2022_PROGRAM)
    assert of(withdrawn, calls=(Called(TOKEN_2022_PROGRAM, ("mint", "c1", "carol"), b"\x1a\x02"),)) == [
        (raw("mint"), raw("mint"), raw("carol"), 2)
    ]


@pytest.mark.parametrize(
    ("data", "accounts"),
    [
        (amount(7, 5), ("mint", "a1", "minter")),
        (amount(14, 5, b"\6"), ("mint", "a1", "minter")),
        (amount(7, 5, b"trailing"), ("mint", "a1", "minter")),
        (b"\xff" + bytes([3, 9]) + amount(7, 5), ("mint", "a1", "minter")),
    ],
    ids=["MintTo", "MintToChecked", "trailing bytes", "batch"],
)
def test_token_2022_mints_what_its_instructions_say(data: bytes, accounts: tuple[str, ...]) -> None:
    gained = Held("a1", "mint", 0, 5, "alice", program=TOKEN_2022_PROGRAM)
    assert of(gained, calls=(Called(TOKEN_2022_PROGRAM, accounts, data),)) == [(raw("mint"), NOBODY, raw("alice"), 5)]


@pytest.mark.parametrize(
    "data",
    [amount(8, 5), amount(15, 5, b"\6"), b"\x2e\x01" + amount(0, 5)[1:]],
    ids=["Burn", "BurnChecked", "permissioned"],
)
def test_token_2022_burns_what_its_instructions_say(data: bytes) -> None:
    lost = Held("a1", "mint", 9, 4, "alice", program=TOKEN_2022_PROGRAM)
    called = Called("wallet", ("a1",), b"", (Called(TOKEN_2022_PROGRAM, ("a1", "mint", "alice"), data),))
    assert of(lost, calls=(called,)) == [(raw("mint"), raw("alice"), NOBODY, 5)]


def test_what_is_minted_into_a_confidential_balance_is_held_by_the_mint() -> None:
    unchanged = Held("a1", "mint", 3, 3, "alice", program=TOKEN_2022_PROGRAM)
    calls = (
        Called(TOKEN_2022_PROGRAM, ("mint", "a1", "minter"), amount(7, 5)),
        Called(TOKEN_2022_PROGRAM, ("a1", "mint"), b"\x1b\x05"),
    )
    assert of(unchanged, calls=calls) == [(raw("mint"), NOBODY, raw("mint"), 5)]


def test_a_program_that_prints_or_copies_instructions_of_tokens_moves_nothing() -> None:
    unchanged = Held("a1", "mint", 3, 3, "alice", program=TOKEN_2022_PROGRAM)
    assert of(unchanged, calls=(Called("forger", ("mint", "a1", "minter"), amount(7, 5)),)) == []


def test_the_system_program_is_an_owner_like_others() -> None:
    system = "1" * 32
    moved = (Held("a1", "mint", 5, 0, "alice"), Held("s1", "mint", 0, 5, system))
    assert of(*moved) == [(raw("mint"), raw("alice"), bytes(32), 5)]


def test_a_balance_without_owner_is_refused() -> None:
    broken = block(Sent("payer", (), (Held("a1", "mint", 5, 6, ""),)))
    with pytest.raises(ValueError, match="without the owner"):
        decode(broken, SCOPE)


@settings(max_examples=50)
@given(st.dictionaries(st.sampled_from("abcdefgh"), st.integers(-20, 20), max_size=8))
def test_pairs_add_up_to_every_gain(gains: dict[str, int]) -> None:
    rows = pair(gains)
    found = dict.fromkeys([*gains, ""], 0)
    for sender, receiver, moved in rows:
        assert moved > 0
        assert sender != receiver
        found[sender] -= moved
        found[receiver] += moved
    assert {owner: gain for owner, gain in found.items() if owner} == gains
    assert len(rows) <= max(0, len([gain for gain in gains.values() if gain]))
    assert not any(sender == "" for sender, _, _ in rows) or not any(receiver == "" for _, receiver, _ in rows)
