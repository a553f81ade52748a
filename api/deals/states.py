"""The state machine of deals: every state, every move, and who may make it. Code, docs and tests read this table.

    offered ─accept─> announced ─open─> awaiting_consent ─consent─> awaiting_dispatch ─dispatch─> settling
       │ │                                                             ^                       │ │
       │ └accept─> swapping (merge), awaiting_launch (collab)          └───────return──────────┘ └settle─> completed
       │              └migrate─> migrating ─settle─> completed
       └accept─> member_accepted (of a group) ─take_effect─> as above

The offerer makes the offer and pays; the holder has the registration. Wherever the specification says seller and buyer,
``roles.py`` translates.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from warehouse.domain.events.deals import (
    DealAccepted,
    DealCancelled,
    DealCompleted,
    DealCreated,
    DealEvent,
    DealFailed,
    DealRejected,
)


class DealType(StrEnum):
    """What is offered."""

    BUYOUT = "buyout"
    PROJECT_SALE = "project_sale"
    MERGE = "merge"
    COLLAB = "collab"


class Status(StrEnum):
    """How far a deal is, coarsely."""

    DRAFT = "draft"
    PENDING = "pending"
    ANNOUNCED = "announced"
    PAUSED = "paused"
    PAYMENT_PENDING = "payment_pending"
    EXECUTING = "executing"
    MIGRATING = "migrating"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    CLOSED = "closed"


class Stage(StrEnum):
    """What a deal waits for."""

    AWAITING_RESPONSE = "awaiting_response"
    ANNOUNCEMENT = "announcement"
    SWAP_WINDOW = "swap_window"
    AWAITING_CONSENT = "awaiting_consent"
    AWAITING_DISPATCH = "awaiting_dispatch"
    SETTLING = "settling"
    AWAITING_LAUNCH = "awaiting_launch"
    COMPLETED = "completed"
    CLOSED = "closed"


class DeadlineKind(StrEnum):
    """What the running clock of a deal ends."""

    OFFER = "offer"
    ANNOUNCEMENT = "announcement"
    MIGRATION_WINDOW = "migration_window"
    BURN_CONSENT = "burn_consent"
    SETTLEMENT_WINDOW = "settlement_window"


class Role(StrEnum):
    """Who makes a move. A stranger has none of these roles."""

    OFFERER = "offerer"
    HOLDER = "holder"
    OPERATOR = "operator"
    CLOCK = "clock"
    """The deadline passed."""
    CHAIN = "chain"
    """A final block shows it."""
    GROUP = "group"
    """The other deals of the group."""


PARTIES: Final = frozenset({Role.OFFERER, Role.HOLDER})


class Move(StrEnum):
    """What takes a deal from one state to another."""

    OFFER = "offer"
    ACCEPT = "accept"
    REJECT = "reject"
    CANCEL = "cancel"
    TAKE_EFFECT = "take_effect"
    OPEN = "open"
    CONSENT = "consent"
    DISPATCH = "dispatch"
    RETURN = "return"
    MIGRATE = "migrate"
    SETTLE = "settle"
    PAUSE = "pause"
    RESUME = "resume"
    LAPSE = "lapse"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class State:
    """A state of a deal. Status, stage and deadline kind together name it."""

    status: Status
    stage: Stage
    deadline_kind: DeadlineKind | None = None

    @property
    def name(self) -> str:
        """How the documentation names it."""
        return f"{self.status} / {self.stage}"

    @property
    def has_ended(self) -> bool:
        """Whether no move leads out of it."""
        return self.stage in (Stage.COMPLETED, Stage.CLOSED)

    @property
    def is_paused(self) -> bool:
        """Whether an operator stopped its clock."""
        return self.status is Status.PAUSED

    @property
    def paused(self) -> "State":
        """The same stage with its clock stopped."""
        return replace(self, status=Status.PAUSED)


OFFERED: Final = State(Status.DRAFT, Stage.AWAITING_RESPONSE, DeadlineKind.OFFER)
MEMBER_ACCEPTED: Final = State(Status.PENDING, Stage.AWAITING_RESPONSE, DeadlineKind.OFFER)
ANNOUNCED: Final = State(Status.ANNOUNCED, Stage.ANNOUNCEMENT, DeadlineKind.ANNOUNCEMENT)
SWAPPING: Final = State(Status.ANNOUNCED, Stage.SWAP_WINDOW, DeadlineKind.MIGRATION_WINDOW)
MIGRATING: Final = State(Status.MIGRATING, Stage.SWAP_WINDOW, DeadlineKind.MIGRATION_WINDOW)
AWAITING_LAUNCH: Final = State(Status.ANNOUNCED, Stage.AWAITING_LAUNCH, DeadlineKind.SETTLEMENT_WINDOW)
AWAITING_CONSENT: Final = State(Status.PAYMENT_PENDING, Stage.AWAITING_CONSENT, DeadlineKind.BURN_CONSENT)
AWAITING_DISPATCH: Final = State(Status.PAYMENT_PENDING, Stage.AWAITING_DISPATCH, DeadlineKind.SETTLEMENT_WINDOW)
SETTLING: Final = State(Status.EXECUTING, Stage.SETTLING, DeadlineKind.SETTLEMENT_WINDOW)
COMPLETED: Final = State(Status.COMPLETED, Stage.COMPLETED)
CLOSED: Final = State(Status.CLOSED, Stage.CLOSED)
CANCELLED: Final = State(Status.CANCELLED, Stage.CLOSED)
FAILED: Final = State(Status.FAILED, Stage.CLOSED)

ACCEPTED: Final[Mapping[DealType, State]] = {
    DealType.BUYOUT: ANNOUNCED,
    DealType.PROJECT_SALE: ANNOUNCED,
    DealType.MERGE: SWAPPING,
    DealType.COLLAB: AWAITING_LAUNCH,
}
"""What an accepted offer becomes."""
PAUSABLE: Final = (ANNOUNCED, SWAPPING, AWAITING_LAUNCH, AWAITING_CONSENT, AWAITING_DISPATCH)
PAUSED: Final = tuple(state.paused for state in PAUSABLE)
LIVE: Final = (OFFERED, MEMBER_ACCEPTED, *PAUSABLE, *PAUSED, SETTLING, MIGRATING)
"""States from which a deal can still go on."""
LOCKING: Final = (
    Status.PENDING, Status.ANNOUNCED, Status.PAUSED, Status.PAYMENT_PENDING, Status.EXECUTING, Status.MIGRATING,
)  # fmt: skip
"""A registration has one deal of these statuses at most; the store's unique index says the same."""


@dataclass(frozen=True, slots=True)
class Transition:
    """One move from one state.

    Args:
        before: None: there is no deal yet.
        by: any of these.
        types: of deals that make it.
        event: what its parties are told.
        attested: the party's move is attested by a signed statement.
    """

    move: Move
    before: State | None
    after: State
    by: frozenset[Role]
    types: frozenset[DealType] = frozenset(DealType)
    event: type[DealEvent] | None = None
    attested: bool = False


_SALES: Final = frozenset({DealType.BUYOUT, DealType.PROJECT_SALE})
_HOLDER, _OFFERER = frozenset({Role.HOLDER}), frozenset({Role.OFFERER})
_CLOCK, _CHAIN = frozenset({Role.CLOCK}), frozenset({Role.CHAIN})
_OPERATOR, _GROUP = frozenset({Role.OPERATOR}), frozenset({Role.GROUP})


def _transitions() -> Iterator[Transition]:
    yield Transition(Move.OFFER, None, OFFERED, _OFFERER, event=DealCreated, attested=True)
    for kind, accepted in ACCEPTED.items():
        only = frozenset({kind})
        yield Transition(Move.ACCEPT, OFFERED, accepted, _HOLDER, only, DealAccepted, attested=True)
        yield Transition(Move.TAKE_EFFECT, MEMBER_ACCEPTED, accepted, _GROUP, only)
    yield Transition(Move.ACCEPT, OFFERED, MEMBER_ACCEPTED, _HOLDER, event=DealAccepted, attested=True)
    yield Transition(Move.REJECT, OFFERED, CLOSED, _HOLDER, event=DealRejected, attested=True)
    yield Transition(Move.CANCEL, OFFERED, CANCELLED, _OFFERER, event=DealCancelled, attested=True)
    for state in (MEMBER_ACCEPTED, *PAUSABLE, *PAUSED):
        yield Transition(Move.CANCEL, state, CANCELLED, PARTIES, _types_of(state), DealCancelled, attested=True)
    yield Transition(Move.OPEN, ANNOUNCED, AWAITING_CONSENT, _CLOCK, _SALES)
    yield Transition(Move.CONSENT, AWAITING_CONSENT, AWAITING_DISPATCH, _HOLDER, _SALES, attested=True)
    yield Transition(Move.DISPATCH, AWAITING_DISPATCH, SETTLING, _OFFERER, _SALES)
    yield Transition(Move.RETURN, SETTLING, AWAITING_DISPATCH, _CHAIN, _SALES)
    yield Transition(Move.SETTLE, SETTLING, COMPLETED, _CHAIN, _SALES, DealCompleted)
    yield Transition(Move.MIGRATE, SWAPPING, MIGRATING, _CHAIN, _types_of(SWAPPING))
    yield Transition(Move.SETTLE, MIGRATING, COMPLETED, _CHAIN, _types_of(MIGRATING), DealCompleted)
    for state in PAUSABLE:
        yield Transition(Move.PAUSE, state, state.paused, _OPERATOR, _types_of(state))
        yield Transition(Move.RESUME, state.paused, state, _OPERATOR, _types_of(state))
    yield Transition(Move.LAPSE, OFFERED, CLOSED, _CLOCK | _GROUP, event=DealFailed)
    yield Transition(Move.LAPSE, MEMBER_ACCEPTED, CLOSED, _CLOCK | _GROUP, event=DealFailed)
    for state in (SWAPPING, AWAITING_LAUNCH, AWAITING_CONSENT, AWAITING_DISPATCH):
        yield Transition(Move.LAPSE, state, CLOSED, _CLOCK, _types_of(state), DealFailed)
    for state in LIVE:
        if state == MIGRATING:  # holders swap until the window ends, whatever becomes of the registration
            continue
        yield Transition(Move.FAIL, state, FAILED, _CHAIN, _types_of(state), DealFailed)


def _types_of(state: State) -> frozenset[DealType]:
    """Types of deals that can be in a state."""
    if state.stage is Stage.AWAITING_RESPONSE:
        return frozenset(DealType)
    if state.stage in (Stage.SWAP_WINDOW, Stage.AWAITING_LAUNCH):
        return frozenset({DealType.MERGE if state.stage is Stage.SWAP_WINDOW else DealType.COLLAB})
    return _SALES


TRANSITIONS: Final = tuple(_transitions())


def find(move: Move, before: State | None, kind: DealType, *, member: bool = False) -> Transition | None:
    """The transition of a move from a state; None where the table has none. ``member``: the deal is of a group, whose
    offers take effect together."""
    for one in TRANSITIONS:
        if one.move is move and one.before == before and kind in one.types:
            if move is Move.ACCEPT and member is not (one.after == MEMBER_ACCEPTED):
                continue
            return one
    return None


def moves_of(role: Role, state: State, kind: DealType) -> list[Move]:
    """What a role may do in a state, in the order of the table."""
    return list(
        dict.fromkeys(one.move for one in TRANSITIONS if one.before == state and kind in one.types and role in one.by)
    )


def read_state(status: str, stage: str, deadline_kind: str | None) -> State:
    """The state of a stored deal."""
    return State(Status(status), Stage(stage), None if deadline_kind is None else DeadlineKind(deadline_kind))


def table() -> list[tuple[str, ...]]:
    """The rows of the table in ``docs/deals.md``: move, from, to, by, types, event."""
    return [
        (
            one.move,
            "" if one.before is None else one.before.name,
            one.after.name,
            ", ".join(role for role in Role if role in one.by),
            "all" if one.types == frozenset(DealType) else ", ".join(kind for kind in DealType if kind in one.types),
            "" if one.event is None else one.event.type,
        )
        for one in TRANSITIONS
    ]
