"""Data directories of measured runs: each new, all removed when the last measurement is over.

A file system can take ten times as long to make a file for minutes after it has deleted thousands: ext4 without a
journal passes over each of their inodes first. Whatever deleted what it was measured on would make the next one slower.
"""

import os
import shutil
import tempfile
from pathlib import Path

import psutil


def new_directory(directory: Path, name: str) -> Path:
    """An empty directory for one run of ``name``."""
    runs = directory / "runs" / str(os.getpid())
    runs.mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix=f"{name}-", dir=runs))


def remove_runs(directory: Path) -> None:
    """Remove those of this process, and those of benchmarks that were killed."""
    for runs in (directory / "runs").glob("*"):
        if runs.name == str(os.getpid()) or not (runs.name.isdigit() and psutil.pid_exists(int(runs.name))):
            shutil.rmtree(runs, ignore_errors=True)
