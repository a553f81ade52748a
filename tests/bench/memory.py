"""Memory of running processes over time, as proportional set size: shared pages are split among their users."""

import contextlib
import threading
import time
from dataclasses import dataclass, field

import psutil


@dataclass(slots=True)
class MemoryWatch:
    """Samples a process and its descendants, each under the name ``label`` gives it, until stopped."""

    pid: int
    interval_seconds: float = 0.1
    peaks_mb: dict[str, float] = field(default_factory=dict)
    samples: list[tuple[float, str, float]] = field(default_factory=list)
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def __enter__(self) -> "MemoryWatch":
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(self.interval_seconds):
            totals: dict[str, float] = {}
            with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied, ProcessLookupError):
                root = psutil.Process(self.pid)
                for process in [root, *root.children(recursive=True)]:
                    with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied, ProcessLookupError):
                        name = label(process, root.pid)
                        totals[name] = totals.get(name, 0.0) + process.memory_full_info().pss / 1e6
            for name, megabytes in totals.items():
                self.peaks_mb[name] = max(self.peaks_mb.get(name, 0.0), megabytes)
                self.samples.append((time.time(), name, megabytes))


def label(process: psutil.Process, root_pid: int) -> str:
    """``indexer`` for the process that was started, else which engine a descendant belongs to."""
    if process.pid == root_pid:
        return "indexer"
    command = " ".join(process.cmdline())
    if "postgres" in command:
        return "store"
    return "warehouse" if "warehouse" in command else "other"
