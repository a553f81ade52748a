"""Which blocks are refused before anything of them becomes a row."""

import dataclasses

import msgspec
import pytest

from indexer.chains.errors import NodeLied
from indexer.chains.solana.audit import require_effects
from indexer.chains.solana.blocks import DecodedBlock
from tests.factories.solana_blocks import Held, Sent, block

MOVED = Sent("payer", (), (Held("a1", "mint", 9, 4, "alice"), Held("b1", "mint", 0, 5, "bob")))


def with_meta(decoded: DecodedBlock, **changes: object) -> DecodedBlock:
    (transaction,) = decoded.transactions
    meta = msgspec.structs.replace(transaction.meta, **changes)
    return dataclasses.replace(decoded, transactions=[dataclasses.replace(transaction, meta=meta)])


def test_a_complete_block_is_accepted() -> None:
    require_effects(block(MOVED))


@pytest.mark.parametrize("part", ["inner_instructions", "pre_token_balances", "post_token_balances"])
def test_effects_that_were_not_recorded_are_not_taken_for_none(part: str) -> None:
    with pytest.raises(NodeLied, match="lacks inner calls or token balances"):
        require_effects(with_meta(block(MOVED), **{part: None}))


def test_lamports_of_every_account_are_needed() -> None:
    with pytest.raises(NodeLied, match="lacks balances or accounts"):
        require_effects(with_meta(block(MOVED), post_balances=[]))


def test_token_accounts_do_not_change_between_transactions() -> None:
    later = Sent("payer", (), (Held("a1", "mint", 3, 2, "alice"),), name="later")
    with pytest.raises(NodeLied, match="changes between transactions"):
        require_effects(block(MOVED, later))
