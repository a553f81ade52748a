"""``run/engines.json``: where the running embedded engines of a data directory are.

Each engine writes its entry when it is ready and removes it when it ends. The file holds passwords and is readable by
its owner only. An entry names the process and its start time, so entries left by a crash are recognised.
"""

import contextlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

from .layout import Layout
from .lifetime import exclusive

CLICKHOUSE = "clickhouse"
POSTGRES = "postgres"


@dataclass(frozen=True, slots=True)
class Entry:
    """One running engine."""

    url: str
    pid: int
    started: float
    port: int

    @classmethod
    def of_this_process(cls, url: str, port: int) -> "Entry":
        """The entry of the engine this process runs."""
        return cls(url, os.getpid(), psutil.Process().create_time(), port)

    def alive(self) -> bool:
        """Whether the very process that wrote the entry still runs."""
        try:
            process = psutil.Process(self.pid)
            same = abs(process.create_time() - self.started) < 1
            return same and process.status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False


def path(layout: Layout) -> Path:
    """The file's place."""
    return layout.run / "engines.json"


def read(layout: Layout) -> dict[str, Entry]:
    """Entries of engines that run now."""
    return {name: entry for name, entry in _read_all(path(layout)).items() if entry.alive()}


def write(layout: Layout, name: str, entry: Entry) -> None:
    """Record an engine as running."""
    with exclusive(layout.run / "engines.json.lock"):
        entries = read(layout)
        entries[name] = entry
        _replace(path(layout), entries)


def remove(layout: Layout, name: str) -> None:
    """Take this process's entry out again."""
    with exclusive(layout.run / "engines.json.lock"):
        entries = _read_all(path(layout))
        if name in entries and entries[name].pid == os.getpid():
            del entries[name]
            _replace(path(layout), entries)


def _read_all(file: Path) -> dict[str, Entry]:
    try:
        content = json.loads(file.read_text())
        return {name: Entry(**fields) for name, fields in content.items()}
    except (FileNotFoundError, ValueError, TypeError, AttributeError):
        return {}  # absent, or not ours: as good as nothing running


def _replace(file: Path, entries: dict[str, Entry]) -> None:
    draft = file.with_suffix(".draft")
    with contextlib.suppress(FileNotFoundError):
        draft.unlink()
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as out:
        json.dump({name: asdict(entry) for name, entry in entries.items()}, out, indent=1)
    draft.replace(file)
