"""The table of states: what it says, that the documentation says the same, and that no path leaves it."""

import re
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from api.deals import states
from api.deals.states import DealType, Move, Role, State, Status
from warehouse.postgres import Connection

DOCUMENT = (Path(__file__).parents[3] / "docs" / "deals.md").read_text()


def test_the_documentation_has_the_table() -> None:
    rows = re.findall(r"^\| `(\w+)` " + r"\|([^|]*)" * 5 + r"\|$", DOCUMENT, re.MULTILINE)
    found = [tuple(cell.strip().strip("`") for cell in row) for row in rows]
    assert found == states.table()


def test_a_move_from_a_state_has_one_outcome() -> None:
    for kind in DealType:
        for member in (False, True):
            for move in Move:
                for state in (None, *states.LIVE):
                    fitting = [
                        one
                        for one in states.TRANSITIONS
                        if (one.move, one.before) == (move, state)
                        and kind in one.types
                        and (move is not Move.ACCEPT or (one.after == states.MEMBER_ACCEPTED) is member)
                    ]
                    assert len(fitting) <= 1, (kind, move, state)
                    assert states.find(move, state, kind, member=member) == (fitting[0] if fitting else None)


def test_every_live_state_can_end_and_no_ended_one_moves() -> None:
    for one in states.TRANSITIONS:
        assert one.before is None or not one.before.has_ended
        assert one.after in states.LIVE or one.after.has_ended
    for state in states.LIVE:
        assert any(one.before == state and one.after.has_ended for one in states.TRANSITIONS), state.name


def test_strangers_make_no_move_and_parties_none_of_the_services() -> None:
    service = {
        Move.OPEN, Move.LAPSE, Move.RETURN, Move.SETTLE, Move.FAIL, Move.TAKE_EFFECT, Move.PAUSE, Move.RESUME,
        Move.MIGRATE,
    }  # fmt: skip
    for one in states.TRANSITIONS:
        assert one.by
        assert (one.move in service) is not bool(one.by & states.PARTIES), one
    assert all(one.by == {Role.HOLDER} for one in states.TRANSITIONS if one.move is Move.ACCEPT)


def test_what_settles_cannot_be_cancelled() -> None:
    assert states.find(Move.CANCEL, states.SETTLING, DealType.BUYOUT) is None
    assert [one.move for one in states.TRANSITIONS if one.before == states.MIGRATING] == [Move.SETTLE]


def test_the_store_locks_a_registration_in_the_same_statuses(store: Connection) -> None:
    row = store.execute("SELECT indexdef FROM pg_indexes WHERE indexname = 'deal_one_accepted'").fetchone()
    assert row is not None
    locking = set(re.findall(r"'(\w+)'::text", row["indexdef"]))
    assert locking == set(states.LOCKING)
    assert {state.status for state in states.LIVE} - {Status.DRAFT} == set(states.LOCKING)


class Walk(RuleBasedStateMachine):
    """Any order of moves by anyone against a model that only knows how far a deal is."""

    state: State
    kind: DealType
    member: bool

    @initialize(kind=st.sampled_from(DealType), member=st.booleans())
    def offer(self, kind: DealType, member: bool) -> None:
        made = states.find(Move.OFFER, None, kind)
        assert made is not None
        self.state, self.kind, self.member, self.accepted, self.consented = made.after, kind, member, False, False

    @rule(move=st.sampled_from(Move), role=st.sampled_from(Role))
    def attempt(self, move: Move, role: Role) -> None:
        found = states.find(move, self.state, self.kind, member=self.member)
        if found is None or role not in found.by:
            return
        assert not self.state.has_ended
        self.accepted |= move is Move.ACCEPT
        self.consented |= move is Move.CONSENT
        if move is Move.SETTLE:
            assert self.accepted
            assert self.consented or self.kind is DealType.MERGE  # in which nobody is paid for the registration
        self.state = found.after

    @precondition(lambda self: not self.state.has_ended)
    @rule(role=st.sampled_from(sorted(states.PARTIES)))
    def offers_only_what_is_possible(self, role: Role) -> None:
        for move in states.moves_of(role, self.state, self.kind):
            assert any(one.move is move and one.before == self.state and role in one.by for one in states.TRANSITIONS)

    @invariant()
    def money_moves_only_after_both_agreed(self) -> None:
        if getattr(self, "state", None) in (states.SETTLING, states.COMPLETED):
            assert self.accepted
            assert self.consented or self.kind is DealType.MERGE


TestWalk = Walk.TestCase
TestWalk.settings = settings(max_examples=50, stateful_step_count=30, deadline=None)
