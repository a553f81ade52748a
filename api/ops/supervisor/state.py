"""The stack's files in ``<data_dir>/run``: its lock, and its state for ``regalia status``."""

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from api.ops.supervisor.part import AlreadyRunning, Part, PartState
from warehouse.embedded.lifetime import stack_lock


def lock_file(data_dir: Path) -> Path:
    """Locked while a stack runs on the data directory; contains its process id."""
    return stack_lock(data_dir / "run")


def state_file(data_dir: Path) -> Path:
    """The state of the running stack."""
    return data_dir / "run" / "stack.json"


@contextlib.contextmanager
def sole_stack(data_dir: Path) -> Iterator[None]:
    """Lock the data directory for this stack. The kernel releases the lock however the process ends.

    Raises:
        AlreadyRunning: another process holds it.
    """
    descriptor = os.open(lock_file(data_dir), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(descriptor, 32).decode().strip() or "unknown"
            raise AlreadyRunning(
                f"{data_dir} is in use by another stack (process {holder}); stop it or set another REGALIA_DATA_DIR"
            ) from None
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"{os.getpid()}\n".encode())
        yield
    finally:
        os.close(descriptor)


def write(data_dir: Path, parts: Mapping[str, Part], states: Mapping[str, PartState], started_at: float) -> None:
    """Replace the state file atomically, readable by its owner only."""
    content = {
        "pid": os.getpid(),
        "process_started": start_ticks(os.getpid()),
        "started_at": started_at,
        "parts": {
            name: asdict(state)
            | {"listens": parts[name].listens, "port": parts[name].port, "metrics": parts[name].metrics}
            for name, state in states.items()
        },
    }
    path = state_file(data_dir)
    draft = path.with_suffix(".draft")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(content, file, indent=1)
    draft.replace(path)


def start_ticks(pid: int) -> int:
    """When a process started, in clock ticks since boot, which clock changes do not affect.

    Raises:
        OSError: there is no such process.
    """
    with open(f"/proc/{pid}/stat", "rb") as file:
        fields = file.read().rpartition(b")")[2].split()
    if fields[0] in (b"Z", b"X"):
        raise ProcessLookupError(pid)
    return int(fields[19])


def read(data_dir: Path) -> dict[str, Any] | None:
    """The state of the stack that runs on the data directory, or None."""
    try:
        content: dict[str, Any] = json.loads(state_file(data_dir).read_text())
        # Another process may have the same id by now.
        same = start_ticks(content["pid"]) == content["process_started"]
    except (OSError, ValueError, KeyError):
        return None
    return content if same else None
