"""``regalia up`` with its real parts: ready, guarded, restarted, stopped, and nothing left after a kill."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from api.ops.supervisor import state
from indexer.devchain.anvil import Anvil

START_SECONDS = 480
STOP_SECONDS = 120
"""More than all parts may take one after the other before they are killed."""
NOBODY = 65534
ENGINES = ("store", "warehouse")
NODE_KEY, WEBHOOK_KEY, WEBHOOK_SECRET = "k3y-of-the-node-0123", "k3y-of-the-webhook-0123", "s3cret-of-the-webhook"
API_KEY = "rgl_live_0123456789abcdefghijklmnopqrstuv"
LOUD = {
    "REGALIA_LOG_LEVEL": "DEBUG",
    "REGALIA_LOG_LEVELS": json.dumps(
        dict.fromkeys(("httpx", "httpx2", "urllib3", "procrastinate", "asyncio"), "DEBUG")
    ),
    "REGALIA_LOG_REQUEST_SHARE": "1",
    "REGALIA_ALERT_WEBHOOK_URL": f"http://127.0.0.1:9/{WEBHOOK_KEY}",
    "REGALIA_ALERT_WEBHOOK_SECRET": WEBHOOK_SECRET,
}
"""Everything is logged, by every library."""


class Up:
    """A running ``regalia up``."""

    def __init__(self, data_dir: Path, *options: str, before: tuple[str, ...] = (), **environment: str) -> None:
        settings = {name: value for name, value in os.environ.items() if not name.startswith("REGALIA_")}
        self.data_dir = data_dir
        self.environment = {**settings, "REGALIA_DATA_DIR": str(data_dir), "REGALIA_PORT": "0", **environment}
        self.events = data_dir.parent / f"{data_dir.name}.events"
        with self.events.open("w") as output:
            self.process = subprocess.Popen(
                [*before, sys.executable, "-m", "api.cli", "up", *options],
                env=self.environment,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def said(self) -> str:
        return self.events.read_text()

    def until_said(self, text: str) -> None:
        deadline = time.monotonic() + START_SECONDS
        while text not in self.said():
            assert self.process.poll() is None, self.said()
            assert time.monotonic() < deadline, self.said()
            time.sleep(0.1)

    def parts(self) -> dict[str, Any]:
        found = state.read(self.data_dir)
        assert found is not None
        parts: dict[str, Any] = found["parts"]
        return parts

    def family(self) -> list[psutil.Process]:
        """Every descendant: guards, parts and their children."""
        return psutil.Process(self.process.pid).children(recursive=True)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "api.cli", *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )


@contextlib.contextmanager
def up(data_dir: Path, *options: str, **kwargs: Any) -> Iterator[Up]:
    service = Up(data_dir, *options, **kwargs)
    try:
        service.until_said("Ctrl-C stops everything")
        yield service
    finally:
        service.process.kill()
        service.process.wait()


def gone(family: list[psutil.Process], seconds: float) -> bool:
    _, alive = psutil.wait_procs(family, timeout=seconds)
    return not [process for process in alive if process.is_running() and process.status() != psutil.STATUS_ZOMBIE]


def leaks(service: Up) -> list[str]:
    """The secrets that a part or the supervisor logged, by file."""
    keys = [path.read_text(errors="replace").strip() for path in (service.data_dir / "keys").iterdir()]
    secrets = [NODE_KEY, WEBHOOK_KEY, WEBHOOK_SECRET, API_KEY, *filter(None, keys)]
    logs = [*(service.data_dir / "logs").rglob("*.log"), service.events]
    assert sum(path.stat().st_size for path in logs) > 20_000
    return [f"{path.name}: {secret}" for path in logs for secret in secrets if secret in path.read_text()]


@pytest.mark.slow
def test_the_service_starts_restarts_parts_and_leaves_no_process(tmp_path: Path, anvil: Anvil) -> None:
    chains = tmp_path / "chains.toml"
    node = f"{anvil.url}/v2/{NODE_KEY}"
    chains.write_text(f'[chains.base]\nrpc_urls = ["{node}"]\n[chains.robinhood]\nrpc_urls = ["{node}"]\n')
    with up(tmp_path / "data", REGALIA_CHAINS=str(chains), **LOUD) as service:
        parts = service.parts()
        wanted = ["store", "warehouse", "migrations", "api", "worker", "follow-base"]
        wanted += ["dagster-setup", "dagster-code", "dagster"]
        assert list(parts) == wanted
        assert {part["phase"] for part in parts.values()} <= {"ready", "done"}
        with urllib.request.urlopen(f"{parts['api']['listens']}/health/ready", timeout=10) as answer:
            assert json.load(answer)["status"] == "ready"
        with urllib.request.urlopen(f"{parts['dagster']['listens']}/server_info", timeout=10) as answer:
            assert answer.status == 200

        service.environment["REGALIA_LOG_LEVEL"] = "INFO"
        second = service.run("up")
        assert second.returncode == 4
        assert f"is in use by another stack (process {service.process.pid})" in second.stderr
        assert second.stderr.startswith("regalia: ")
        assert second.stderr.count("\n") == 1

        report = json.loads(service.run("status", "--json").stdout)
        assert report["store"] == "ok"
        assert [chain["key"] for chain in report["chains"]] == ["base"]
        assert report["stack"]["parts"].keys() == parts.keys()

        with contextlib.suppress(urllib.error.HTTPError):
            request = urllib.request.Request(f"{parts['api']['listens']}/api/v2/search", headers={"X-API-Key": API_KEY})
            urllib.request.urlopen(request, timeout=10)
        assert leaks(service) == []

        family = service.family()
        assert len(family) > 15
        service.process.kill()
        assert gone(family, 60)


@pytest.fixture
def ordinary(tmp_path: Path) -> tuple[Path, tuple[str, ...]]:
    """A home, and what runs a command there as an ordinary user: nothing, unless this process is root's."""
    home = tmp_path / "home"
    home.mkdir()
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        return home, ()
    os.chown(home, NOBODY, NOBODY)
    # Keeps CAP_DAC_READ_SEARCH, because the interpreter may be in a folder of root.
    search = ("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search")
    return home, ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *search)


@pytest.mark.slow
def test_killed_engines_restart_and_a_stop_is_orderly(ordinary: tuple[Path, tuple[str, ...]]) -> None:
    home, become = ordinary
    data_dir = home / "data"
    with up(data_dir, "--without-dagster", "--without-followers", before=become, HOME=str(home)) as service:
        assert {process.uids().real for process in service.family()} == {home.stat().st_uid}
        before = service.parts()
        killed = [psutil.Process(before[name]["pid"]).children()[0] for name in ENGINES]
        below = [process for command in killed for process in command.children(recursive=True)]
        for command in killed:
            command.kill()
        assert gone([*killed, *below], 60)
        deadline = time.monotonic() + START_SECONDS
        while not all(
            service.parts()[name]["restarts"] and service.parts()[name]["phase"] == "ready" for name in ENGINES
        ):
            assert time.monotonic() < deadline, service.said()
            time.sleep(0.1)
        after = service.parts()
        assert {name: part["port"] for name, part in after.items()} == {
            name: part["port"] for name, part in before.items()
        }
        assert after["api"]["restarts"] == 0
        key = service.run("keys", "create", "--wallet", "0x70997970C51812dc3A010C7d01b50e0d17dc79C8")
        assert json.loads(key.stdout)["key"]

        family = service.family()
        service.process.send_signal(signal.SIGTERM)
        assert service.process.wait(STOP_SECONDS) == 0
        assert gone(family, 10)
        stopped = [line.split()[3] for line in service.said().splitlines() if " stopped in " in line]
        assert "api" in stopped[:-2]
        assert set(stopped[-2:]) == set(ENGINES)
    for path in (data_dir / "run" / "stack.json", data_dir / "run" / "stack.lock", data_dir / "logs" / "api.log"):
        assert path.stat().st_mode & 0o077 == 0
    assert state.read(data_dir) is None


@pytest.mark.slow
def test_a_taken_port_is_one_line_before_anything_starts(tmp_path: Path) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        service = Up(tmp_path / "data", "--without-dagster", REGALIA_PORT=str(port))
        assert service.process.wait(START_SECONDS) == 4
    assert service.said().startswith(f"regalia: port {port} on 127.0.0.1 for the API cannot be had")
    assert service.said().count("\n") == 1
    assert not (tmp_path / "data" / "postgres").exists()
