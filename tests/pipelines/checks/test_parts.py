"""Passes look at every block and every token once, however the runs fall."""

from datetime import UTC, date, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.checks.parts import (
    LEAST_EVENTS,
    PASS,
    Part,
    Progress,
    Scope,
    everything,
    failing_parts,
    history_part,
    new_part,
)
from pipelines.windows import Window
from warehouse.chains import facts

BASE = facts.load(None).by_key["base"]
START = datetime(2026, 1, 1, tzinfo=UTC)
MANY = LEAST_EVENTS * 10_000


def window(through: int = 5_000_000, up_to: int = 90) -> Window:
    return Window(BASE, 0, up_to, through, START, through - 10, {})


def one_pass(scope: Scope, minutes: list[int]) -> list[tuple[Part, Progress]]:
    """The pieces of a pass whose runs are so many minutes apart."""
    pieces: list[tuple[Part, Progress]] = []
    last, now = None, START
    for minute in minutes * 10_000:
        piece, last = history_part(scope, window(), last, first_block=7, events=MANY, now=now)
        pieces.append((piece, last))
        now += timedelta(minutes=minute)
        if last.position == 0:
            return pieces
    raise AssertionError("the pass does not end")


gaps = st.lists(st.integers(1, 600), min_size=1, max_size=6)


@given(gaps)
@settings(max_examples=25)
def test_a_pass_looks_at_every_block_once(minutes: list[int]) -> None:
    at = 7
    for piece, _ in one_pass(Scope.BLOCKS, minutes):
        assert piece["from_block"] == at
        at = int(piece["to_block"]) + 1
    assert at == 5_000_001


@given(gaps)
@settings(max_examples=25)
def test_a_pass_looks_at_every_token_once(minutes: list[int]) -> None:
    at = ""
    for piece, _ in one_pass(Scope.TOKENS, minutes):
        assert piece["from_token"] == at
        at = str(piece["to_token"])
    assert at == ""


def test_a_pass_ends_within_a_day_and_is_noted() -> None:
    pieces = one_pass(Scope.TOKENS, [15])
    progress = pieces[-1][1]
    assert timedelta(hours=20) < progress.checked_at - START <= timedelta(hours=24)
    assert progress.pass_ended_at == progress.checked_at
    assert all(before.pass_ended_at is None for _, before in pieces[:-1])
    assert len(pieces) > 24 * 3, "each run looks at a small piece"


def test_a_run_after_a_long_pause_looks_at_a_quarter_at_most() -> None:
    _, first = history_part(Scope.TOKENS, window(), None, first_block=0, events=MANY, now=START)
    _, late = history_part(Scope.TOKENS, window(), first, first_block=0, events=MANY, now=START + 9 * PASS)
    assert late.position - first.position == 65_536 // 4


def test_a_small_chain_is_looked_at_entirely_in_each_run() -> None:
    for scope in Scope:
        piece, progress = history_part(scope, window(), None, first_block=7, events=LEAST_EVENTS, now=START)
        assert piece == everything(scope, 7, 5_000_000)
        assert progress.pass_ended_at == START


def test_what_is_new_begins_after_what_was_final() -> None:
    last = Progress(40, 900, date(2025, 12, 30), 0, START, START, None)
    assert new_part(Scope.BLOCKS, window(1_000), last) == {"from_block": 901, "to_block": 1_000}
    found = new_part(Scope.TOKENS, window(1_000), last)
    assert found == {"from_token": "", "to_token": "", "after": 40, "up_to": 90, "from_day": "2025-12-30"}
    assert new_part(Scope.TOKENS, window(1_000, up_to=40), last) is None
    assert new_part(Scope.TOKENS, window(1_000), None) is None


def test_each_token_that_failed_is_looked_at_again_by_itself() -> None:
    last = Progress(40, 900, date(2025, 12, 30), 0, START, START, None)
    part = new_part(Scope.TOKENS, window(), last)
    assert part is not None
    again = failing_parts(Scope.TOKENS, part, [{"token_hex": "bb"}, {"token_hex": "aa"}, {"token_hex": "bb"}], 100)
    assert [(each["from_token"], each["to_token"]) for each in again] == [("aa", "aa00"), ("bb", "bb00")]
    assert {(each["after"], each["up_to"], each["from_day"]) for each in again} == {(0, 0, "2025-12-30")}
    many = failing_parts(Scope.TOKENS, part, [{"token_hex": "aa"}] * 100, 100)
    assert many == [{**part, "after": 0, "up_to": 0}], "there may be more than were returned"
