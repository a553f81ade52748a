"""Parts of the service as the supervisor sees them."""

import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Phase(StrEnum):
    """The phase of a part's life."""

    WAITING = "waiting"
    """Waits for the parts it depends on."""
    STARTING = "starting"
    READY = "ready"
    RESTARTING = "restarting"
    """It ended and restarts after a pause."""
    FAILING = "failing"
    """It ended several times in a row; restarts continue with longer pauses."""
    DONE = "done"
    """A step that has completed."""
    STOPPING = "stopping"
    STOPPED = "stopped"


class StackError(Exception):
    """The service cannot start or continue. The message is one line for the operator."""


class AlreadyRunning(StackError):
    """Another stack uses the data directory."""


class PortTaken(StackError):
    """A configured port is in use."""


@dataclass(frozen=True, slots=True)
class Part:
    """A process of the service: how to start it, when it is ready, how to stop it."""

    name: str
    command: tuple[str, ...]
    needs: tuple[str, ...] = ()
    """Parts that must be ready before this one starts, and that stop after it."""
    ready: Callable[[], bool] | None = None
    """The readiness probe, called in a thread; False or an OSError means not yet. None: ready after a moment."""
    environment: Mapping[str, str] = field(default_factory=dict)
    once: bool = False
    """Whether it is a step, which must end with status 0 and is then ready."""
    vital: bool = False
    """Whether the stack gives up if this part fails at the start."""
    ready_seconds: float = 180.0
    """Time limit for becoming ready, beyond which it is restarted. On a small machine all parts start at once, and each
    may take a minute."""
    stop_signal: signal.Signals = signal.SIGTERM
    stop_seconds: float = 10.0
    listens: str | None = None
    """Where it listens, in words or as a URL, for people."""
    port: int | None = None
    metrics: str | None = None
    """Where Prometheus reads its metrics."""


@dataclass(slots=True)
class PartState:
    """The state of a part, as ``regalia status`` shows it."""

    phase: Phase = Phase.WAITING
    pid: int | None = None
    since: float = 0.0
    """Unix time of the last change of phase."""
    ready_after_seconds: float | None = None
    restarts: int = 0
    failures_in_a_row: int = 0
    last_exit: str | None = None
