"""Files that hold the service's own keys."""

import os
import secrets
from collections.abc import Callable
from pathlib import Path


def create_once(path: Path, make: Callable[[], str]) -> None:
    """Write a new key to a file that only its owner can read, unless the file is there. Safe to call from several
    processes at once: all find the same key.

    Raises:
        OSError: the folder cannot be used.
    """
    if path.exists():
        return
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(make() + "\n")
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(draft, path)  # atomic: a second process finds the first one's key
        except FileExistsError:
            return
    finally:
        draft.unlink(missing_ok=True)
