"""The server of the API: the metrics on a port of their own, and bounded connections."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from api.server import scrape_configuration
from tests.fixtures.http_server import serving
from tests.fixtures.service import Service
from warehouse.engines import EngineUrls


async def test_metrics_are_not_on_the_public_port(service: Service) -> None:
    assert (await service.anonymous.get("/metrics")).status_code == 404
    assert (await service.client.get("/metrics")).status_code == 404


async def test_metrics_have_a_port_of_their_own(service: Service) -> None:
    async with serving(scrape_configuration(service.services)) as port, httpx.AsyncClient() as client:
        answer = await client.get(f"http://127.0.0.1:{port}/metrics")
        assert (answer.status_code, answer.headers["content-type"].split(";")[0]) == (200, "text/plain")
        assert "regalia_build_info{" in answer.text
        assert (await client.post(f"http://127.0.0.1:{port}/metrics")).status_code == 405
        assert (await client.get(f"http://127.0.0.1:{port}/health/live")).status_code == 404


async def test_the_text_is_made_once_for_all_who_ask(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    text = service.services.metrics.text
    monkeypatch.setattr(service.services.metrics, "text", lambda: made.append(1) or text())
    for _ in range(50):
        await service.services.scrapes.text()
    assert len(made) <= 2


async def test_metrics_do_not_grow_with_what_is_asked(service: Service) -> None:
    sizes = []
    for number in range(30):
        await service.anonymous.request(f"M{number}", f"/api/v2/{number}")
        await service.anonymous.request(f"M{number}", f"/api/v2/token/S{number}/base")
        await service.client.get(f"/api/v2/registration/S{number}/{number}")
        sizes.append(len((await service.metrics()).splitlines()))
    assert sizes[-1] - sizes[0] < 10


@pytest.fixture
def process(engines: EngineUrls, store_url: str, data_dir: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A server of its own, on free ports that its log does not name."""
    environment = os.environ | {
        "REGALIA_DATA_DIR": str(data_dir),
        "REGALIA_DATABASE_URL": store_url,
        "REGALIA_CLICKHOUSE_URL": engines.clickhouse_url,
        "REGALIA_PORT": "0",
        "REGALIA_METRICS_PORT": "0",
    }
    with subprocess.Popen([sys.executable, "-m", "api.server"], env=environment, stderr=subprocess.PIPE) as running:
        yield running
        if running.poll() is None:
            running.kill()


@pytest.mark.slow
def test_the_process_serves_both_ports_and_stops_on_request(process: subprocess.Popen[bytes]) -> None:
    ports = wait_for_ports(process.pid)
    answers = {port: httpx.get(f"http://127.0.0.1:{port}/metrics", timeout=10).status_code for port in ports}
    assert sorted(answers.values()) == [200, 404]
    public = next(port for port, status in answers.items() if status == 404)
    assert httpx.get(f"http://127.0.0.1:{public}/openapi.json", timeout=10).json()["openapi"]
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0


def wait_for_ports(pid: int) -> list[int]:
    deadline = time.monotonic() + 240
    while True:
        ports = listening_ports(pid)
        if len(ports) == 2:
            return ports
        assert time.monotonic() < deadline, ports
        time.sleep(0.1)


def listening_ports(pid: int) -> list[int]:
    inodes: set[str] = set()
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # a starting process closes files while they are listed
            found = re.fullmatch(r"socket:\[(\d+)\]", os.readlink(descriptor))
            inodes |= {found[1]} if found else set()
    rows = [line.split() for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]]
    return [int(row[1].partition(":")[2], 16) for row in rows if row[3] == "0A" and row[9] in inodes]
