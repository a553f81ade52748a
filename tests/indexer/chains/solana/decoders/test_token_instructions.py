"""Instructions that are passed over unread, and batches."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from indexer.chains.solana.accounts import TOKEN_2022_PROGRAM, TOKEN_PROGRAM
from indexer.chains.solana.decoders.token_instructions import touches_mints, unbatched
from tests.factories.solana_blocks import Called, Sent, block

OF_TOKENS = {3: 9, 4: 9, 7: 9, 8: 9, 12: 10, 13: 10, 14: 10, 15: 10}
"""First byte and size of transfers, approvals, mints and burns."""
OF_ACCOUNTS = {(1, 1), (5, 1), (10, 1), (11, 1), (16, 33), (17, 1), (18, 33), (21, 1), (21, 3), (22, 1)}


def touches(data: bytes, program: str = TOKEN_2022_PROGRAM) -> bool:
    (transaction,) = block(
        Sent("payer", (Called("caller", (), b"", (Called(program, ("mint",), data),)),))
    ).transactions
    return touches_mints(transaction)


@settings(max_examples=200, deadline=None)
@given(st.binary(min_size=1, max_size=40))
@example(b"\x00" * 9)
@example(b"\x06\x00\x00" + bytes(6))
@example(b"\x03" + b"\xff" * 8)
@example(b"\x0c" + bytes(9))
@example(b"\x1a\x01" + bytes(17))
@example(b"\x1a\x00" + bytes(17))
def test_only_what_cannot_concern_a_mint_is_passed_over(data: bytes) -> None:
    kind, size = data[0], len(data)
    passed_over = OF_TOKENS.get(kind) == size or (kind, size) in OF_ACCOUNTS or (data[:2] == b"\x1a\x01" and size == 19)
    assert touches(data) != passed_over


@settings(max_examples=50, deadline=None)
@given(st.sampled_from(sorted(OF_TOKENS)), st.integers(0, 2**64 - 1))
def test_every_amount_is_passed_over(kind: int, amount: int) -> None:
    data = (bytes([kind]) + amount.to_bytes(8, "little")).ljust(OF_TOKENS[kind], b"\x06")
    assert not touches(data)
    assert touches(data + b"\x00")


def test_closing_accounts_concerns_mints_of_token_2022_only() -> None:
    assert touches(b"\x09")
    assert not touches(b"\x09", TOKEN_PROGRAM)


def test_a_batch_is_unpacked_in_order() -> None:
    data = b"\xff" + bytes([2, 3]) + b"\x06\x00\x00" + bytes([1, 1]) + b"\x09"
    assert list(unbatched(["a", "b", "c"], data)) == [(["a", "b"], b"\x06\x00\x00"), (["c"], b"\x09")]
    assert list(unbatched(["a"], b"\xff")) == []
    assert list(unbatched(["a"], b"")) == [(["a"], b"")]
