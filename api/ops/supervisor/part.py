"""What the supervisor needs to know about one part of the service."""

import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Phase(StrEnum):
    """Where a part is in its life."""

    WAITING = "waiting"
    """For the parts it needs."""
    STARTING = "starting"
    READY = "ready"
    RESTARTING = "restarting"
    """It ended, and is started again after a pause."""
    FAILING = "failing"
    """It ended several times in a row; still restarted, with longer pauses."""
    DONE = "done"
    """A step that ends by itself, and did."""
    STOPPING = "stopping"
    STOPPED = "stopped"


class StackError(Exception):
    """The service cannot start, or cannot go on; the message is one line for the operator."""


class AlreadyRunning(StackError):
    """Another stack uses the data directory."""


class PortTaken(StackError):
    """A port that was asked for is in use."""


@dataclass(frozen=True, slots=True)
class Part:
    """A process of the service: how to start it, when it counts as ready, how to stop it."""

    name: str
    command: tuple[str, ...]
    needs: tuple[str, ...] = ()
    """Parts that have to be ready before this one starts, and that stop after it."""
    ready: Callable[[], bool] | None = None
    """Called off the main thread; false or an OSError means not yet. None: ready when it lives for a moment."""
    environment: Mapping[str, str] = field(default_factory=dict)
    once: bool = False
    """A step: it has to end with status 0, and then counts as ready."""
    vital: bool = False
    """Without it at the start there is no service: the stack gives up instead of trying on."""
    ready_seconds: float = 60.0
    """Not ready by then: it is killed and started again."""
    stop_signal: signal.Signals = signal.SIGTERM
    stop_seconds: float = 10.0
    listens: str | None = None
    """Where, in words or as a URL, for people."""
    port: int | None = None


@dataclass(slots=True)
class PartState:
    """What is true of a part now; what ``regalia status`` shows."""

    phase: Phase = Phase.WAITING
    pid: int | None = None
    since: float = 0.0
    """Unix time of the last change of phase."""
    ready_after_seconds: float | None = None
    restarts: int = 0
    failures_in_a_row: int = 0
    last_exit: str | None = None
