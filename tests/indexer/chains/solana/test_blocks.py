"""What decoders see of a ``getBlock`` answer."""

import msgspec
import pytest

from indexer.chains.errors import RpcError
from indexer.chains.solana.base58 import data_bytes, key_text
from indexer.chains.solana.blocks import Block, DecodedBlock, decode_block, log_index

KEYS = [key_text(bytes([number]) * 32) for number in range(1, 9)]
PAYER, TOKENS, AMM, ROUTER, WRITABLE, READONLY, *_ = KEYS
SIGNATURE = "1" * 64


def answer(**changes: object) -> bytes:
    """A block of one transaction: the router calls the AMM, which calls the token program; then the AMM once more."""
    meta = {
        "err": None,
        "fee": 5000,
        "preBalances": [],
        "postBalances": [],
        "logMessages": ["Program log: anything"],
        "loadedAddresses": {"writable": [WRITABLE], "readonly": [READONLY]},
        "innerInstructions": [
            {
                "index": 0,
                "instructions": [
                    {"programIdIndex": 2, "accounts": [4], "data": "", "stackHeight": 2},
                    {"programIdIndex": 1, "accounts": [5], "data": "2", "stackHeight": 3},
                    {"programIdIndex": 1, "accounts": [], "data": "", "stackHeight": 2},
                ],
            }
        ],
    }
    message = {
        "accountKeys": [PAYER, TOKENS, AMM, ROUTER],
        "header": {"numRequiredSignatures": 1, "numReadonlySignedAccounts": 0, "numReadonlyUnsignedAccounts": 3},
        "instructions": [
            {"programIdIndex": 3, "accounts": [0, 4], "data": "3Bxs4h24hBtQy9rw", "stackHeight": None},
            {"programIdIndex": 2, "accounts": [], "data": ""},
        ],
        "recentBlockhash": KEYS[7],
    }
    transaction = {"transaction": {"signatures": [SIGNATURE], "message": message}, "meta": meta, "version": 0}
    block = {
        "blockhash": KEYS[0],
        "previousBlockhash": KEYS[1],
        "parentSlot": 6,
        "blockTime": 1_700_000_000,
        "blockHeight": 5,
        "transactions": [transaction],
    }
    return msgspec.json.encode(block | changes)


def decoded(raw: bytes) -> DecodedBlock:
    return decode_block(9, msgspec.json.decode(raw, type=Block))


def test_accounts_of_lookup_tables_follow_the_static_ones() -> None:
    (transaction,) = decoded(answer()).transactions
    assert transaction.accounts == [PAYER, TOKENS, AMM, ROUTER, WRITABLE, READONLY]
    assert transaction.signers == [PAYER] == [transaction.fee_payer]
    assert transaction.signature == bytes(64)


def test_calls_come_in_order_of_execution_with_their_callers() -> None:
    (transaction,) = decoded(answer()).transactions
    assert [(call.program, call.caller, call.depth, call.outer, call.accounts) for call in transaction.calls] == [
        (ROUTER, None, 1, 0, [PAYER, WRITABLE]),
        (AMM, ROUTER, 2, 0, [WRITABLE]),
        (TOKENS, AMM, 3, 0, [READONLY]),
        (TOKENS, ROUTER, 2, 0, []),
        (AMM, None, 1, 1, []),
    ]
    assert [call.data for call in transaction.calls][1:3] == [b"", b"\x01"]


def test_calls_without_depths_count_as_the_outer_instructions() -> None:
    raw = answer().replace(b',"stackHeight":2', b"").replace(b',"stackHeight":3', b"")
    (transaction,) = decoded(raw).transactions
    assert [call.caller for call in transaction.calls] == [None, ROUTER, ROUTER, ROUTER, None]


def test_failed_transactions_are_counted_and_left_out() -> None:
    block = decoded(answer().replace(b'"err":null', b'"err":{"InstructionError":[0,{"Custom":1}]}'))
    assert (block.transaction_count, block.transactions) == (1, [])


@pytest.mark.parametrize(
    ("wrong", "rule"),
    [
        ({"blockTime": None}, "has no time"),
        ({"blockhash": "0x12"}, "is no hash of a block"),
    ],
)
def test_a_block_that_cannot_be_placed_is_refused(wrong: dict[str, object], rule: str) -> None:
    with pytest.raises(RpcError, match=rule):
        decoded(answer(**wrong))


def test_a_negative_place_in_a_list_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match=">= 0"):
        decoded(answer().replace(b'"programIdIndex":3', b'"programIdIndex":-1'))


def test_instruction_data_of_any_length_is_decoded() -> None:
    assert data_bytes("3Bxs4h24hBtQy9rw") == (2).to_bytes(4, "little") + (2_039_280).to_bytes(8, "little")
    assert data_bytes("") == b""
    assert data_bytes("11") == bytes(2)
    with pytest.raises(ValueError, match="'0' is no digit"):
        data_bytes("10")


def test_only_short_data_are_remembered() -> None:
    short, long = "z" * 200, "z" * 300
    assert data_bytes(short) is data_bytes(short)
    assert data_bytes(long) == data_bytes(long)
    assert data_bytes(long) is not data_bytes(long)


def test_log_indexes_order_a_blocks_rows_by_execution() -> None:
    assert log_index(2, 0) > log_index(1, 4095) > log_index(1, 0)
    with pytest.raises(OverflowError, match="at most 4096"):
        log_index(0, 4096)
