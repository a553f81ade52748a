"""The demo's data directory. The chain is created again at every start, so files of an earlier demo are removed.

A marker file says that a directory belongs to the demo; one without it is never emptied.
"""

import contextlib
import fcntl
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from api.ops.supervisor.part import AlreadyRunning, StackError

MARKER = "demo.lock"
PATIENCE_SECONDS = 5.0


@contextlib.contextmanager
def fresh(data_dir: Path) -> Iterator[Path]:
    """An empty directory for one demo, locked until the block ends.

    Raises:
        AlreadyRunning: another demo runs in it.
        StackError: it holds something that no demo made.
    """
    path = data_dir.absolute()
    marker = path / MARKER
    if path.exists() and not marker.exists() and any(path.iterdir()):
        raise StackError(
            f"{path} holds data that no demo made; name another directory in REGALIA_DATA_DIR, or unset it"
        )
    path.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(marker, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _lock(descriptor, path)
        for entry in path.iterdir():
            if entry.name == MARKER:
                continue
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            else:
                entry.unlink()
        yield path
    finally:
        os.close(descriptor)


def _lock(descriptor: int, path: Path) -> None:
    # Parts of a killed demo may take a moment to end.
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise AlreadyRunning(
                    f"another demo is running in {path}; stop it, or name another directory in REGALIA_DATA_DIR "
                    "and another port in REGALIA_PORT"
                ) from None
            time.sleep(0.2)
