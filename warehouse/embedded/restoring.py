"""The note that a restore of the data directory has begun and is not complete.

While it is there, nothing starts on the data directory: what is half restored must not be served, indexed or migrated.
"""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from warehouse.errors import RestoreUnfinished

from .layout import Layout


@dataclass(frozen=True, slots=True)
class Note:
    """A restore on its way."""

    backup: str
    source: str
    set_aside: str | None
    """The folder that takes what was in the data directory; None if it was empty."""
    cleared: bool = False
    """All of that was moved there: what is in the data directory now comes from the restore."""


def read(layout: Layout) -> Note | None:
    """The note, if a restore has begun."""
    try:
        return Note(**json.loads(_path(layout).read_text()))
    except FileNotFoundError:
        return None


def write(layout: Layout, note: Note) -> None:
    """Write the note; it is on the disk when this returns."""
    draft = _path(layout).with_suffix(".draft")
    with draft.open("w") as file:
        json.dump(asdict(note), file)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(_path(layout))
    descriptor = os.open(layout.root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove(layout: Layout) -> None:
    """The restore is complete."""
    _path(layout).unlink(missing_ok=True)


def ensure_finished(layout: Layout) -> None:
    """Check that no restore is half done.

    Raises:
        RestoreUnfinished: one is.
    """
    note = read(layout)
    if note is not None:
        raise RestoreUnfinished(
            f"{layout.root} holds a restore of backup {note.backup} that was interrupted: run"
            f" `regalia restore --from {note.source} --at {note.backup}` again"
        )


def _path(layout: Layout) -> Path:
    return layout.root / "restore.json"
