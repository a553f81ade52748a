"""Engines of a test's own, as processes that may be killed."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from warehouse.embedded import record
from warehouse.embedded.layout import Layout


@dataclass
class Launched:
    """A running engine: its process, and where it is."""

    process: "subprocess.Popen[bytes]"
    url: str
    port: int

    def kill(self) -> None:
        """End it as a crash would."""
        self.process.kill()
        self.process.wait(10)

    def stop(self) -> int:
        """End it in order."""
        self.process.terminate()
        return self.process.wait(20)


Launch = Callable[..., Launched]


@pytest.fixture
def launch(tmp_path: Path) -> Iterator[Launch]:
    """Start ``python -m warehouse clickhouse`` or ``postgres`` on a data directory; ended after the test."""
    running: list[Launched] = []

    def start(name: str, data_dir: Path, *options: str) -> Launched:
        log = (tmp_path / f"{name}.log").open("wb")
        with log:
            process = subprocess.Popen(
                [sys.executable, "-m", "warehouse", name, "--port", "0", "--data-dir", str(data_dir), *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            entry = record.read(Layout.of(data_dir)).get(name)
            if entry is not None and entry.pid == process.pid:
                launched = Launched(process, entry.url, entry.port)
                running.append(launched)
                return launched
            if process.poll() is not None:
                break
            time.sleep(0.02)
        process.kill()
        process.wait(10)
        raise AssertionError(f"{name} did not start: {(tmp_path / f'{name}.log').read_text()}")

    yield start
    for launched in running:
        if launched.process.poll() is None:
            launched.process.terminate()
        try:
            launched.process.wait(20)
        except subprocess.TimeoutExpired:
            launched.process.kill()
            launched.process.wait(10)


def wait_until(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    """Return when ``condition`` holds; fail when it does not in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "did not happen in time"
        time.sleep(0.05)


@pytest.fixture
def eventually() -> Callable[[Callable[[], bool]], None]:
    """Wait for a condition."""
    return wait_until
