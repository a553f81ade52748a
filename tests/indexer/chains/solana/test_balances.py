"""Balances rebuilt from blocks equal what the node says, whatever happens and however the chain is cut."""

from collections import Counter
from contextlib import closing

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from indexer.chains.solana.base58 import key_bytes
from indexer.chains.solana.decoders.frame import Tables, add_rows
from indexer.chains.solana.source import SolanaSource
from indexer.chains.source import Holding
from tests.fixtures.solana_indexing import facts_of
from tests.fixtures.solana_ledger import FIRST_SLOT, SolanaLedger
from tests.fixtures.solana_node import solana_node

Holdings = Counter[tuple[bytes, bytes]]
NOBODY = bytes(20)


def rebuilt(source: SolanaSource, cuts: list[int], head: int) -> Holdings:
    """Sums of transfers, fetched in ranges that end at ``cuts``, by (mint, wallet)."""
    tables: Tables = {}
    first = FIRST_SLOT
    for last in sorted({*(cut for cut in cuts if cut < head), head}):
        for chunk in source.fetch(first, last):
            add_rows(
                tables, {"fact_transfer": chunk.tables["fact_transfer"]} if "fact_transfer" in chunk.tables else {}
            )
        first = last + 1
    held: Holdings = Counter()
    rows = tables.get("fact_transfer", {})
    names = ("token", "from_address", "to_address", "amount_raw")
    for token, sender, receiver, amount in zip(*(rows.get(name, ()) for name in names), strict=True):
        held[token, sender] -= amount
        held[token, receiver] += amount
    return Counter({at: amount for at, amount in held.items() if amount})


@pytest.mark.slow
@settings(max_examples=25, phases=(Phase.explicit, Phase.reuse, Phase.generate))
@given(seed=st.integers(0, 10**6), cuts=st.lists(st.integers(FIRST_SLOT, FIRST_SLOT + 60)), depth=st.integers(0, 20))
def test_balances_rebuilt_from_blocks_equal_what_the_node_says(seed: int, cuts: list[int], depth: int) -> None:
    ledger = SolanaLedger(seed)
    ledger.grow(30)
    if depth:
        ledger.fork(depth)
    with solana_node(ledger) as url, closing(SolanaSource(facts_of(ledger, url), patience_seconds=5)) as source:
        held = rebuilt(source, cuts, source.head().number)
        wallets = [Holding(token, wallet) for token, wallet in held if wallet not in (NOBODY, token)]
        said = source.balances(wallets, ledger.head)
    assert [held[one.token, one.wallet] for one in wallets] == said
    assert {(one.token, one.wallet) for one in wallets} == ledger.balances().keys()
    for mint in ledger.mints:  # nothing is lost to fees that the token program withholds
        token = key_bytes(str(mint.key.pubkey()))
        owned = sum(amount for at, amount in held.items() if at[0] == token and at[1] != NOBODY)
        assert owned == ledger.recorder.supply(mint.key.pubkey())


def test_a_balance_that_moved_since_the_block_is_not_compared(ledger: SolanaLedger, node_url: str) -> None:
    block, before = ledger.head, ledger.balances()
    while (after := ledger.balances()) == before:
        ledger.grow(1)
    with closing(SolanaSource(facts_of(ledger, node_url), patience_seconds=5)) as source:
        said = source.balances([Holding(*at) for at in before], block)
    assert after != before
    assert all(found in (None, before[at]) for at, found in zip(before, said, strict=True))
    assert any(found is not None for found in said)
