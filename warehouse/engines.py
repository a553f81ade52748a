"""Find the engines, and start the embedded ones where none run.

URLs in the settings win. Otherwise the embedded engines of the data directory are used: running ones are found by
their record, missing ones are started. Engines started here end with their last user, so commands may overlap.
"""

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit, urlunsplit

from warehouse import migrate
from warehouse.embedded import record, restoring
from warehouse.embedded.layout import Layout
from warehouse.embedded.lifetime import exclusive, in_use, is_in_use, is_supervised, start_lock
from warehouse.errors import EnginesNotRunning
from warehouse.settings import EngineSettings

START_SECONDS = 90.0
STOP_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class EngineUrls:
    """URLs with credentials."""

    clickhouse_url: str
    database_url: str


def locate(settings: EngineSettings) -> EngineUrls:
    """The engines that the settings name or that run now.

    Raises:
        EnginesNotRunning: one is neither configured nor running.
    """
    running = record.read(Layout.of(settings.data_dir))
    clickhouse = clickhouse_url(settings) or _url(running, record.CLICKHOUSE)
    database = settings.database_url or _url(running, record.POSTGRES)
    if clickhouse is None or database is None:
        raise EnginesNotRunning(f"no engines run in {settings.data_dir}, and no URLs are set")
    return EngineUrls(clickhouse, database)


def clickhouse_url(settings: EngineSettings) -> str | None:
    """The URL in the settings, with the cluster as ``?cluster=NAME``."""
    if settings.clickhouse_url is None or settings.clickhouse_cluster is None:
        return settings.clickhouse_url
    parts = urlsplit(settings.clickhouse_url)
    return urlunsplit(parts._replace(query=urlencode({"cluster": settings.clickhouse_cluster})))


@contextlib.contextmanager
def ensure(
    settings: EngineSettings,
    *,
    clickhouse_port: int = 0,
    postgres_port: int = 0,
    durable: bool = True,
    migrated: bool = True,
    for_restore: bool = False,
) -> Iterator[EngineUrls]:
    """The engines for the duration of the block: started where they do not run, and migrated unless told not to.

    Where a service runs on the data directory, wait for its supervisor to start an engine that ended. An engine
    started here would take the folder from the service's own and end with this process.

    Raises:
        EnginesNotRunning: an engine does not start; the message holds what it printed.
        RestoreUnfinished: a restore was interrupted, unless the engines are ``for_restore``.
        MigrationError: a schema cannot be brought up to date.
    """
    layout = Layout.of(settings.data_dir)
    layout.prepare()
    if not for_restore:
        restoring.ensure_finished(layout)
    started: list[subprocess.Popen[bytes]] = []
    try:
        with in_use(layout.run):
            with exclusive(start_lock(layout.run)):
                running = _running(layout, settings)
                if settings.clickhouse_url is None and record.CLICKHOUSE not in running:
                    started.append(start(layout, record.CLICKHOUSE, clickhouse_port))
                if settings.database_url is None and record.POSTGRES not in running:
                    options = () if durable else ("--no-durable",)
                    started.append(start(layout, record.POSTGRES, postgres_port, *options))
                urls = _await_records(layout, settings, started)
            if migrated:
                migrate.apply(urls.clickhouse_url, urls.database_url)
            yield urls
    finally:
        _stop_unused(layout, started)


def start(layout: Layout, name: str, port: int, *options: str) -> "subprocess.Popen[bytes]":
    """Start one embedded engine in its own process, which ends when nobody uses the engines."""
    with (layout.logs / f"{name}-server.log").open("wb") as output:
        return subprocess.Popen(
            [
                *(sys.executable, "-m", "warehouse", name, "--port", str(port), "--data-dir", str(layout.root)),
                *("--exit-when-unused", *options),
            ],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            # Outside our terminal's process group: Ctrl-C ends this process, and the engine only with its last user.
            start_new_session=True,
        )


def _running(layout: Layout, settings: EngineSettings) -> dict[str, record.Entry]:
    wanted = {
        name
        for name, url in ((record.CLICKHOUSE, settings.clickhouse_url), (record.POSTGRES, settings.database_url))
        if url is None
    }
    deadline = time.monotonic() + START_SECONDS
    while True:
        running = record.read(layout)
        if wanted <= running.keys() or not is_supervised(layout.run):
            return running
        if time.monotonic() > deadline:
            raise EnginesNotRunning(f"the service on {layout.root} does not start its engines")
        time.sleep(0.05)


def _url(running: dict[str, record.Entry], name: str) -> str | None:
    entry = running.get(name)
    return entry.url if entry else None


def _await_records(layout: Layout, settings: EngineSettings, started: "list[subprocess.Popen[bytes]]") -> EngineUrls:
    deadline = time.monotonic() + START_SECONDS
    while True:
        with contextlib.suppress(EnginesNotRunning):
            return locate(settings)
        for process in started:
            if process.poll() is not None:
                printed = "".join(log.read_text(errors="replace") for log in sorted(layout.logs.glob("*-server.log")))
                raise EnginesNotRunning(f"the embedded engines do not start: {printed.strip()[-2000:]}")
        if time.monotonic() > deadline:
            raise EnginesNotRunning(f"the embedded engines do not start; see {layout.logs}")
        time.sleep(0.02)


def _stop_unused(layout: Layout, started: "list[subprocess.Popen[bytes]]") -> None:
    """Stop the engines started here, unless another process uses them by now: then they end with that user."""
    if not started:
        return
    with exclusive(start_lock(layout.run)):
        if is_in_use(layout.run):
            return
        for process in started:
            process.terminate()
        for process in started:
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
