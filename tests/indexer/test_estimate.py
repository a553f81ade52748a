"""Announced times are near the truth from the first unit on, also where early blocks are the fullest."""

import random
import re
from contextlib import closing
from dataclasses import replace

import pytest

from indexer.chains.evm.source import EvmSource
from indexer.devchain.anvil import Anvil
from indexer.estimate import Outline
from indexer.progress import describe
from indexer.run import IndexProgress
from warehouse.chains import facts

LAST = 20_000


def events_of(block: int) -> int:
    """An airdrop in the first twentieth, then ever quieter; odd blocks hold half as many as even ones."""
    base = 200 if block < LAST / 20 else 12 - 8 * block // LAST
    return base * (1 if block % 2 else 2)


def profile(last: int, seed: int) -> list[tuple[int, float]]:
    """Units of 2,000 events: the last block of each, and seconds since the start, 5 µs an event and 2 µs a block."""
    noise, units, seconds, events = random.Random(seed), [], 0.0, 0
    for block in range(last + 1):
        events += events_of(block)
        seconds += (5e-6 * events_of(block) + 2e-6) * noise.uniform(0.7, 1.3)
        if events >= 2000 or block == last:
            units.append((block, seconds))
            events = 0
    return units


def announced(published: int, seconds: float, share: float | None) -> float:
    text = describe(IndexProgress(0, LAST, published, 0, 0, 1000 * seconds, share))
    found = re.search(r"([\d.]+) s left", text)
    assert found is not None, text
    return float(found[1]) / 1000


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_estimate_is_within_a_factor_of_two(seed: int) -> None:
    outline = Outline.of(0, LAST, lambda blocks: [1 + events_of(block) for block in blocks])
    assert outline is not None
    units = profile(LAST, seed)
    total = units[-1][1]
    for block, seconds in units[:-1]:
        left = total - seconds
        if left > 0.01 * total:
            assert 0.5 <= announced(block, seconds, outline.share(block)) / left <= 2
    first, seconds = units[0]
    assert announced(first, seconds, None) > 5 * (total - seconds), "counting blocks is wrong here"


def test_shares_ascend_from_nothing_to_all() -> None:
    outline = Outline(100, 1099, [5.0, 0.0, 1.0])
    shares = [outline.share(block) for block in range(99, 1100, 50)] + [outline.share(1099)]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert Outline.of(0, 10, lambda blocks: [1.0] * len(blocks)) is None
    assert Outline.of(0, LAST, lambda blocks: None) is None


def test_an_evm_block_is_as_full_as_its_gas(anvil: Anvil) -> None:
    chain = replace(facts.load(None).by_key["base"], chain_id=anvil.chain_id, rpc_urls=(anvil.url,))
    anvil.rpc("anvil_mine", hex(1))
    empty = anvil.block_number()
    sender = anvil.rpc("eth_accounts")[0]
    anvil.rpc("eth_sendTransaction", {"from": sender, "to": sender, "value": "0x1"})
    anvil.rpc("anvil_mine", hex(1))
    with closing(EvmSource(chain)) as source:
        assert source.fullness([empty]) == [1]
        assert sum(source.fullness(range(empty, empty + 3)) or ()) == 3 + 21_000 / 50_000
        assert source.fullness([10**9]) is None
