"""A running server for these tests. Nothing here comes from the rest of the project."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

PACKAGE = "warehouse.embedded.clickhouse"
PASSWORD, ANALYST_PASSWORD = "owner's secret", "analyst's secret"


@dataclass(frozen=True)
class Server:
    """A running server and its port."""

    process: "subprocess.Popen[str]"
    port: int

    def stop(self) -> int:
        """Shut it down; returns its exit status."""
        self.process.terminate()
        return self.process.wait(60)


Start = Callable[[Path], Server]


@contextmanager
def started(directory: Path, package: str = PACKAGE, cwd: Path | None = None) -> Iterator[Server]:
    """A server on ``directory``, run as a command; it is ended after the block."""
    passwords = {"CLICKHOUSE_PASSWORD": PASSWORD, "CLICKHOUSE_ANALYST_PASSWORD": ANALYST_PASSWORD}
    with subprocess.Popen(
        [sys.executable, "-m", package, str(directory), "--port", "0", "--database", "shop"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=cwd,
        env={**os.environ, **passwords},
    ) as process:
        try:
            assert process.stdout is not None
            url = process.stdout.readline().strip()
            assert url.startswith("http://default@127.0.0.1:"), url
            yield Server(process, int(url.rpartition(":")[2].partition("/")[0]))
        finally:
            process.terminate()
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that these tests share."""
    with started(tmp_path_factory.mktemp("clickhouse")) as running:
        yield running


@pytest.fixture
def eventually() -> Callable[[Callable[[], bool]], None]:
    """Wait up to 20 seconds for a condition."""

    def wait(condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 20
        while not condition():
            assert time.monotonic() < deadline
            time.sleep(0.02)

    return wait
