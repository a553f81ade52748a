"""Ownership of a folder: one process holds a lock on a file in it, which contains its process id."""

import fcntl
import os
import time
from pathlib import Path
from typing import IO


class DataDirectoryInUse(Exception):
    """Another process owns the folder."""


def own(lock_file: Path, wait_seconds: float = 0.0) -> IO[str]:
    """Own the folder of ``lock_file`` until the returned file is closed or the process ends.

    Raises:
        DataDirectoryInUse: another process owns it, and still did after ``wait_seconds``.
    """
    deadline = time.monotonic() + wait_seconds
    lock = lock_file.open("a+")
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            if time.monotonic() < deadline:
                time.sleep(0.05)
                continue
            lock.seek(0)
            owner = lock.read().strip() or "unknown"
            lock.close()
            folder = lock_file.parent
            raise DataDirectoryInUse(f"{folder} is in use by process {owner}: one process can own it") from None
    lock.seek(0)
    lock.truncate()
    lock.write(str(os.getpid()))
    lock.flush()
    return lock
