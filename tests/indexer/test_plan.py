"""Ranges adapt to the node and cover every block once; units stay within their bounds."""

from hypothesis import given
from hypothesis import strategies as st

from indexer.plan import Limits, RangeSize, is_complete, next_range, short_unit

LIMITS = Limits(unit_rows=1000, unit_blocks=64, range_logs=100, range_blocks=32, first_range_blocks=8)


def test_ranges_grow_over_quiet_blocks_and_shrink_over_busy_ones() -> None:
    size = RangeSize(LIMITS)
    size.observe(8, 0, 0.1)
    assert size.blocks == 32
    size.observe(32, 3200, 0.1)
    assert size.blocks == 2 or size.blocks == 1
    for _ in range(10):
        size.observe(size.blocks, 5 * size.blocks, 0.1)
    assert 15 <= size.blocks <= 20


def test_the_range_limit_is_remembered_and_slowly_relaxed() -> None:
    size = RangeSize(LIMITS)
    size.observe(8, 0, 0.1)
    size.refuse(32, 5)
    assert size.blocks == 5
    size.observe(5, 0, 0.1)
    assert size.blocks == 5
    for _ in range(200):
        size.observe(size.blocks, 0, 0.1)
    assert size.blocks == 32


def test_a_slow_node_gets_smaller_ranges() -> None:
    size = RangeSize(LIMITS)
    size.observe(8, 0, 0.1)
    size.observe(32, 0, 60.0)
    assert size.blocks == 16


@given(
    st.integers(0, 50), st.integers(0, 400), st.integers(0, 120),
    st.lists(st.tuples(st.integers(0, 300), st.booleans()), min_size=1),
)  # fmt: skip
def test_every_block_is_in_exactly_one_range_and_one_unit(
    first: int, length: int, finality: int, answers: list[tuple[int, bool]]
) -> None:
    head, final = first + length, first + length - finality
    size, at, turn = RangeSize(LIMITS), first, 0
    unit_first, unit_logs, covered = first, 0, []
    while at <= head:
        last = next_range(at, head, final, size, LIMITS)
        assert at <= last <= head
        assert not at <= final < last
        logs, refused = answers[turn % len(answers)]
        turn += 1
        if refused:
            size.refuse(last - at + 1, max(1, (last - at + 1) // 2))
        size.observe(last - at + 1, logs, 0.01)
        unit_logs += logs
        if is_complete(unit_first, last, unit_logs, head, final, LIMITS):
            blocks = last - unit_first + 1
            assert blocks < (2 * LIMITS.unit_blocks if unit_first <= final else 2 * short_unit(head, final))
            covered.append((unit_first, last))
            unit_first, unit_logs = last + 1, 0
        at = last + 1
    assert unit_first == head + 1
    assert [block for low, high in covered for block in range(low, high + 1)] == list(range(first, head + 1))
