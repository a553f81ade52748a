"""The state of the service that the store knows, as ``health/read_state`` reads it for a scrape."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self


@dataclass(frozen=True, slots=True)
class ChainState:
    """Ingestion of a chain: block numbers, the age of the last block and the time since the last write in seconds."""

    chain_id: int
    head: int | None
    indexed: int | None
    final: int | None
    halted: str | None
    age: float | None
    quiet: float | None


@dataclass(frozen=True, slots=True)
class StepState:
    """Totals of a step's runs that wrote something. ``chain_id`` is 0 or None for a step of all chains."""

    step: str
    chain_id: int | None
    runs: int
    seconds: float
    rows: int
    failures: int
    last_seconds: float | None
    age: float | None


@dataclass(frozen=True, slots=True)
class QueueState:
    """Jobs of a queue by state; ``oldest`` is how many seconds the oldest due job has waited."""

    queue: str
    waiting: int
    running: int
    failed: int
    oldest: float | None


class CounterValue(NamedTuple):
    """A counter of the service; chain 0 means of no chain."""

    name: str
    chain_id: int
    value: int


class FiringNotice(NamedTuple):
    """A reported condition that still holds."""

    kind: str
    subject: str
    severity: str


class StatusCount(NamedTuple):
    """How many rows have a status."""

    status: str
    number: int


class StoreTable(NamedTuple):
    """A table's rows and bytes, with its indexes, as of its last analysis."""

    name: str
    rows: int
    size: int


@dataclass(frozen=True, slots=True)
class StoreState:
    """Everything in one reading. ``events`` are those without deliveries yet."""

    chains: Sequence[ChainState] = ()
    counters: Sequence[CounterValue] = ()
    steps: Sequence[StepState] = ()
    queues: Sequence[QueueState] = ()
    firing: Sequence[FiringNotice] = ()
    deliveries: Sequence[StatusCount] = ()
    subscriptions: Sequence[StatusCount] = ()
    events: int = 0
    tables: Sequence[StoreTable] = ()
    size: int = 0
    """Bytes of the database."""
    has_dagster: bool = False

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Self:
        """The state from the statement's JSON document, in which empty lists are null."""
        webhooks = document["webhooks"]
        # Jobs in progress are pending too.
        waiting = webhooks["waiting"] - webhooks["running"]
        return cls(
            chains=[ChainState(**row) for row in document["chains"] or ()],
            counters=[CounterValue(*row) for row in document["counters"] or ()],
            steps=[StepState(**row) for row in document["steps"] or ()],
            queues=[
                *(QueueState(**row) for row in document["queues"] or ()),
                QueueState(**{**webhooks, "queue": "webhooks", "waiting": waiting}),
            ],
            firing=[FiringNotice(*row) for row in document["alerts"] or ()],
            deliveries=[StatusCount(*row) for row in document["deliveries"] or ()],
            subscriptions=[StatusCount(*row) for row in document["subscriptions"] or ()],
            events=document["events"],
            tables=[StoreTable(*row) for row in document["tables"] or ()],
            size=document["size"],
            has_dagster=document["dagster"],
        )
