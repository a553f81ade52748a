"""Solana nodes that are behind, throttle, cut answers, contradict themselves and lie: no row is lost, none is false."""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from indexer.chains.errors import NodeLied, NodeUnavailable, WrongChain
from indexer.plan import Limits
from indexer.run import advance
from tests.fixtures.faulty_node import FaultyNode, Reply, error_answer, faulty_node
from tests.fixtures.indexing import AllRows, all_rows, differences, indexing
from tests.fixtures.node_faults import BadGateway, Dropped, Fault, Late, Throttled
from tests.fixtures.solana_faults import (
    AnsweredTwice,
    Behind,
    CutBlock,
    CutList,
    LimitedList,
    MixedList,
    NoBatches,
    NullBlock,
    OtherBlock,
    OtherCluster,
    OtherFork,
    Shuffled,
)
from tests.fixtures.solana_indexing import facts_of
from tests.fixtures.solana_ledger import SolanaLedger
from tests.fixtures.solana_node import solana_node
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain

pytestmark = pytest.mark.slow

UNITS = Limits(unit_rows=100, range_blocks=12, first_range_blocks=6, fetchers=3)
SKIPPED = error_answer(-32007, "Slot was skipped, or missing due to ledger jump to recent snapshot")


@pytest.fixture(scope="module")
def honest_chain() -> Iterator[Chain]:
    """A chain that no test changes, and an honest node."""
    ledger = SolanaLedger(seed=2)
    ledger.grow(90)
    with solana_node(ledger) as url:
        yield facts_of(ledger, url)


@pytest.fixture(scope="module")
def truth() -> dict[str, AllRows]:
    """Rows of an index from the honest node, built once."""
    return {}


@pytest.fixture
def honest(truth: dict[str, AllRows], honest_chain: Chain, index_afresh: Callable[[Chain], AllRows]) -> AllRows:
    if not truth:
        truth.update(rows=index_afresh(honest_chain))
    return truth["rows"]


@pytest.fixture
def node(honest_chain: Chain) -> Iterator[FaultyNode]:
    with faulty_node(honest_chain.rpc_urls[0]) as proxy:
        yield proxy


def obey(node: FaultyNode, *faults: Fault) -> None:
    """Let the node fail in these ways at once."""

    def before(requests: list[dict[str, object]]) -> Reply | None:
        return next((reply for fault in faults if (reply := fault.before(requests)) is not None), None)

    def item(request: dict[str, object], answer: dict[str, object]) -> dict[str, object]:
        for fault in faults:
            answer = fault.item(request, answer)
        return answer

    def batch(answers: list[dict[str, object]]) -> list[dict[str, object]]:
        for fault in faults:
            answers = fault.batch(answers)
        return answers

    node.before, node.item, node.batch = before, item, batch


def rng() -> random.Random:
    return random.Random(5)


@pytest.mark.parametrize(
    "faults",
    [
        pytest.param((NullBlock(rng(), 0.2),), id="null for a block that exists"),
        pytest.param((NullBlock(rng(), 0.2, SKIPPED),), id="skipped is said of a block that exists"),
        pytest.param((CutBlock(rng(), 0.15),), id="blocks lack transactions"),
        pytest.param((CutList(rng(), 0.15),), id="lists lack slots"),
        # Five in all: after six contradictions about the same slots the index stops.
        pytest.param(
            (MixedList(rng(), 0.3, most=3), OtherBlock(rng(), 0.1, most=2)),
            id="slots out of order, blocks of other slots",
        ),
        pytest.param((Shuffled(rng()), AnsweredTwice(rng(), 0.2)), id="batches out of order, and answered twice"),
        pytest.param((Behind(rng(), 0.2),), id="some answers come from a node that is behind"),
        pytest.param((LimitedList(rng()),), id="short lists only"),
        pytest.param((NoBatches(rng()),), id="no batches"),
        pytest.param(
            (Late(rng(), 0.1), Dropped(rng(), 0.1), BadGateway(rng(), 0.1), *(
                Throttled(rng(), 0.05, kind) for kind in ("silent", "seconds", "words")
            )),
            id="late, dropped, bad gateway, throttled",
        ),
    ],
)  # fmt: skip
def test_no_row_is_lost_or_false(
    faults: tuple[Fault, ...],
    node: FaultyNode,
    honest_chain: Chain,
    warehouse: Warehouse,
    store_url: str,
    honest: AllRows,
) -> None:
    obey(node, *faults)
    with indexing(warehouse, store_url, UNITS, patience=30.0) as context:
        advance(context, replace(honest_chain, rpc_urls=(node.url,)))
    assert sum(fault.done for fault in faults) > 0
    assert differences(all_rows(warehouse), honest) == {}


def test_another_node_takes_over_from_one_that_is_down(
    node: FaultyNode, honest_chain: Chain, warehouse: Warehouse, store_url: str, honest: AllRows
) -> None:
    node.before = lambda requests: Reply(503)
    with indexing(warehouse, store_url, UNITS) as context:
        advance(context, replace(honest_chain, rpc_urls=(node.url, *honest_chain.rpc_urls)))
    assert node.calls.total() > 0
    assert differences(all_rows(warehouse), honest) == {}


def test_another_node_takes_over_from_one_that_contradicts_itself(
    node: FaultyNode, honest_chain: Chain, warehouse: Warehouse, store_url: str, honest: AllRows
) -> None:
    obey(node, CutBlock(rng()))
    with indexing(warehouse, store_url, UNITS) as context:
        advance(context, replace(honest_chain, rpc_urls=(node.url, *honest_chain.rpc_urls)))
        assert context.counters(honest_chain)["contradictions"] > 0
    assert differences(all_rows(warehouse), honest) == {}


def test_a_node_that_always_cuts_blocks_is_refused(
    node: FaultyNode, honest_chain: Chain, warehouse: Warehouse, store_url: str
) -> None:
    obey(node, CutBlock(rng()))
    with indexing(warehouse, store_url, UNITS) as context, pytest.raises(NodeLied, match="name different transactions"):
        advance(context, replace(honest_chain, rpc_urls=(node.url,)))
    assert warehouse.scalar("SELECT count() FROM fact_transfer") == 0


def test_a_node_that_stays_down_is_an_error_and_published_blocks_stay(
    node: FaultyNode, honest_chain: Chain, warehouse: Warehouse, store_url: str
) -> None:
    chain = replace(honest_chain, rpc_urls=(node.url,))
    with indexing(warehouse, store_url, UNITS, patience=0.5) as context:
        published = advance(context, chain, to_block=80).published
        node.before = lambda requests: Reply(0)
        with pytest.raises(NodeUnavailable):
            advance(context, chain)
    assert warehouse.scalar("SELECT max(block_number) FROM raw_block") == published


def test_an_answer_of_another_cluster_is_never_used(
    node: FaultyNode, honest_chain: Chain, warehouse: Warehouse, store_url: str
) -> None:
    chain = replace(honest_chain, rpc_urls=(node.url,))
    with indexing(warehouse, store_url, UNITS) as context:
        published = advance(context, chain, to_block=80).published
        obey(node, OtherCluster(rng()))
        with pytest.raises(WrongChain, match="says genesis"):
            advance(context, chain)
    assert warehouse.scalar("SELECT max(block_number) FROM raw_block") == published


def test_answers_of_the_fork_that_was_left_are_never_mixed_in(
    warehouse: Warehouse, store_url: str, index_afresh: Callable[[Chain], AllRows]
) -> None:
    ledger, stale = SolanaLedger(seed=3), OtherFork(rng(), 0.06)
    ledger.grow(60)
    with solana_node(ledger) as honest_url, faulty_node(honest_url) as node:
        obey(node, stale)
        chain = facts_of(ledger, node.url)
        with indexing(warehouse, store_url, UNITS, patience=30.0) as context:
            advance(context, chain)
            ledger.fork(15)
            stale.on_fork()
            advance(context, chain)
        assert stale.done > 0
        assert differences(all_rows(warehouse), index_afresh(facts_of(ledger, honest_url))) == {}
