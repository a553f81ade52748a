"""The service under attack: one API process with its default limits over engines of its own, and a paying customer."""

import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from api.accounts.service import Accounts
from api.ops.supervisor import ports
from tests.factories.token_lists import add_listed
from tests.factories.tokens import publish, token_row
from warehouse import engines, postgres
from warehouse.clickhouse import Warehouse
from warehouse.settings import EngineSettings

CUSTOMER = "0x00000000000000000000000000000000000ca11e"
COINS = 200
START_SECONDS = 240


@dataclass(frozen=True, slots=True)
class Target:
    """Where the service listens, and the customer's key."""

    port: int
    key: str
    pid: int

    @property
    def paths(self) -> list[str]:
        """What the customer reads: the store and the warehouse in turn."""
        return [
            path
            for number in range(COINS)
            for path in (f"/api/v2/registration/REG{number}", f"/api/v2/search?symbol=REG{number}")
        ]


@contextmanager
def serving(folder: Path) -> Iterator[Target]:
    """The service over two hundred registered tokens, until the block ends."""
    data_dir = folder / "data"
    chains = folder / "chains.toml"
    chains.write_text('[chains.base]\nrpc_urls = ["http://127.0.0.1:1"]\n')
    with engines.ensure(EngineSettings(data_dir=data_dir, clickhouse_url=None, database_url=None)) as urls:
        with postgres.connect(urls.database_url, autocommit=True) as store:
            for number in range(COINS):
                add_listed(store, f"REG{number}", number + 1)
        with Warehouse.connect(urls.clickhouse_url) as warehouse:
            rows = [token_row(f"REG{one}", address=0x70000 + one, registered=True) for one in range(COINS)]
            publish(warehouse, rows)
        key = Accounts(urls.database_url).create_key(CUSTOMER, "partner").key
        port = ports.claim("127.0.0.1", None, "the API", "REGALIA_PORT")
        environment = os.environ | {
            "REGALIA_DATA_DIR": str(data_dir),
            "REGALIA_CHAINS": str(chains),
            "REGALIA_PORT": str(port),
        }
        with (
            (folder / "api.log").open("wb") as log,
            subprocess.Popen([sys.executable, "-m", "api.server"], env=environment, stderr=log) as process,
        ):
            try:
                _wait(port, process)
                target = Target(port, key, process.pid)
                _warm_up(target)
                yield target
            finally:
                process.terminate()


def _warm_up(target: Target) -> None:
    """Ask for everything once: the first answers of a process and of its engines take longer."""
    for path in target.paths:
        request = urllib.request.Request(f"http://127.0.0.1:{target.port}{path}", headers={"X-API-Key": target.key})
        urllib.request.urlopen(request, timeout=30).close()


def _wait(port: int, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/health/ready", timeout=5).close()
        except OSError:
            if process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit("the API does not start") from None
            time.sleep(0.1)
        else:
            return
