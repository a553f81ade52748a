from collections import Counter, defaultdict
from collections.abc import Iterator

import pytest

from indexer.devchain import artifacts, bulk
from indexer.devchain.anvil import Anvil
from indexer.devchain.bulk import BulkChain

pytestmark = pytest.mark.slow

_TRANSFER = artifacts.load("PlainToken").topic("Transfer")


@pytest.fixture(scope="module")
def chain() -> Iterator[BulkChain]:
    with Anvil.start(state_roots=False, kept_states=2) as node:
        yield bulk.create(node, seed=1, transfers=3000, tokens=20, swaps=300)


def _logs(chain: BulkChain, topic: str) -> list[dict[str, str | list[str]]]:
    found: list[dict[str, str | list[str]]] = chain.anvil.rpc(
        "eth_getLogs", {"fromBlock": "0x0", "toBlock": "latest", "topics": [topic]}
    )
    return found


def test_there_are_as_many_events_as_requested(chain: BulkChain) -> None:
    assert 3000 <= len(_logs(chain, _TRANSFER)) < 3000 + 4 * chain.blocks
    swaps = _logs(chain, artifacts.load("UniswapV2Pair").topic("Swap"))
    swaps += _logs(chain, artifacts.load("UniswapV3Pool").topic("Swap"))
    assert len(swaps) == 300
    assert {log["address"] for log in swaps} <= {pool.address for pool in chain.pools}


def test_balances_are_the_sums_of_transfers(chain: BulkChain) -> None:
    sums: dict[tuple[str, str], int] = defaultdict(int)
    for log in _logs(chain, _TRANSFER):
        topics, data, token = log["topics"], log["data"], log["address"]
        assert isinstance(data, str)
        assert isinstance(token, str)
        if len(topics) == 4:  # positions of V3 are collectibles
            continue
        sums[token, "0x" + topics[1][26:]] -= int(data, 16)
        sums[token, "0x" + topics[2][26:]] += int(data, 16)
    held = [key for key in sums if key[0] in chain.tokens and int(key[1], 16) != 0]
    read = artifacts.load("PlainToken")
    answers = chain.anvil.batch(
        ("eth_call", ({"to": token, "data": read.call("balanceOf", wallet)}, "latest")) for token, wallet in held
    )
    assert [int(answer, 16) for answer in answers] == [sums[key] for key in held]


def test_some_tokens_are_far_more_popular_than_others(chain: BulkChain) -> None:
    counts = Counter(log["address"] for log in _logs(chain, _TRANSFER) if log["address"] in chain.tokens)
    assert len(counts) == 20
    assert counts.most_common(1)[0][1] > 5 * min(counts.values())


def test_the_history_spans_a_day(chain: BulkChain) -> None:
    first, last = (
        int(block["timestamp"], 16)
        for block in chain.anvil.batch(("eth_getBlockByNumber", (number, False)) for number in ("0x1", "latest"))
    )
    assert 25 * 3600 < last - first < 27 * 3600
