"""The kept marks of accounts decide as all marks would, however they arrive."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.tokens.accounts import Difference, apply, changed_tokens
from warehouse.domain.authorities import Mark, speaks_for

ACCOUNT = "aa"
DEPTH = 3
"""How many blocks are not final."""


@st.composite
def histories(draw: st.DrawFn) -> Sequence[tuple[int, list[tuple[str, bool]]]]:
    """Windows: how many blocks a reorganisation removes first, and mints of one new block with who signed."""
    windows = []
    number = 0
    for _ in range(draw(st.integers(1, 8))):
        count = draw(st.integers(0, 14))
        made = [(f"{number + n}", draw(st.booleans())) for n in range(count)]
        number += count
        windows.append((draw(st.integers(0, DEPTH)), made))
    return windows


@settings(max_examples=50, deadline=None)
@given(histories())
def test_kept_marks_decide_as_all_marks_would(history: Sequence[tuple[int, list[tuple[str, bool]]]]) -> None:
    kept: dict[str, dict[str, Mark]] = {}
    facts: dict[str, Mark] = {}
    block = 10
    for removed, made in history:
        block -= removed
        before = dict(facts)
        facts = {token: mark for token, mark in facts.items() if mark.block <= block}
        block += 1
        facts |= {token: Mark(block, place, token, is_signed) for place, (token, is_signed) in enumerate(made)}
        touched = {token for token in before.keys() | facts.keys() if before.get(token) != facts.get(token)}
        standing = kept.get(ACCOUNT, {})
        differences = [
            Difference(ACCOUNT, token, token in standing, facts.get(token))
            for token in touched
            if facts.get(token) != standing.get(token)
        ]
        spoken = {token for token in standing if speaks_for(token, standing.values())}
        written, after = apply(kept, differences, final_block=block - DEPTH)
        assert all(difference.mark is None or difference.token in after[ACCOUNT] for difference in written)
        now = {token for token in facts if speaks_for(token, facts.values())}
        assert {token for token, mark in after.get(ACCOUNT, {}).items() if mark.token in now} == now
        assert {token for token in after.get(ACCOUNT, {}) if speaks_for(token, after[ACCOUNT].values())} == now
        assert changed_tokens(kept, after) == spoken ^ now
        kept = after
