"""``regalia api``, ``worker`` and ``follow`` as processes of their own."""

import signal
import socket
from pathlib import Path

import httpx
import pytest

from api.accounts.service import Accounts
from api.ops.supervisor.ports import listening
from pipelines.refresh import refresh
from tests.factories.ledger import CHAINS_TOML, Ledger
from tests.factories.markets import build_market
from tests.fixtures.processes import regalia, reserved_ports, run_regalia, stop
from tests.fixtures.waiting import wait_until
from warehouse.chains import facts
from warehouse.clickhouse import Warehouse
from warehouse.postgres import Connection

pytestmark = pytest.mark.slow

QUOTA = 24
LIMITS = f"[plans.free]\nper_second = 1000\nburst = 1000\nper_day = {QUOTA}\n"
PATHS = ("/search?symbol=PEPE", "/search?symbol=W", "/token/PEPE/base", "/heartbeat/PEPE/base", "/tokenlist")


@pytest.mark.parametrize("command", [("api",), ("worker",), ("follow", "--chain", "base")])
def test_without_engines_a_process_says_so_and_ends_with_3(tmp_path: Path, command: tuple[str, ...]) -> None:
    done = run_regalia(*command, DATA_DIR=str(tmp_path))
    assert done.returncode == 3
    assert "no engines run in" in done.stderr


def test_an_api_ends_with_4_where_its_port_is_taken(store_url: str, warehouse_url: str, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as line:
        done = run_regalia(
            "api",
            DATA_DIR=str(tmp_path),
            DATABASE_URL=store_url,
            CLICKHOUSE_URL=warehouse_url,
            PORT=str(line.getsockname()[1]),
        )
    assert done.returncode == 4
    assert "REGALIA_PORT" in done.stderr


def test_two_apis_give_one_answer_and_share_keys_and_quotas(
    store: Connection, store_url: str, warehouse: Warehouse, warehouse_url: str, tmp_path: Path
) -> None:
    chains, limits = tmp_path / "chains.toml", tmp_path / "limits.toml"
    chains.write_text(CHAINS_TOML)
    limits.write_text(LIMITS)
    build_market(Ledger(warehouse, store))
    refresh(warehouse, store, facts.load(chains))
    accounts = Accounts(store_url)
    reading, metered, revoked = (
        accounts.create_key(f"0x{number:040x}", plan).key for number, plan in enumerate(("pro", "free", "free"), 1)
    )
    settings = {
        **{"DATA_DIR": str(tmp_path / "data"), "DATABASE_URL": store_url, "CLICKHOUSE_URL": warehouse_url},
        **{"CHAINS": str(chains), "LIMITS": str(limits), "LIMITS_BACKEND": "store"},
        "BASE_URL": "http://regalia.test",
    }
    with (
        reserved_ports(2) as ports,
        regalia("api", PORT=str(ports[0]), **settings) as one,
        regalia("api", PORT=str(ports[1]), **settings) as other,
        httpx.Client(timeout=60) as client,
    ):
        wait_until(lambda: all(map(listening, ports)), "two APIs", 240)

        def ask(place: int, path: str, key: str) -> httpx.Response:
            url = f"http://127.0.0.1:{ports[place % 2]}/api/v2{path}"
            return client.get(url, headers={"X-API-Key": key})

        for path in PATHS:
            answers = [ask(place, path, reading) for place in range(2)]
            assert answers[0].status_code == 200, (path, answers[0].text)
            assert answers[0].json() == answers[1].json()

        statuses = [ask(place, PATHS[0], metered).status_code for place in range(QUOTA + 4)]
        assert statuses == [200] * QUOTA + [429] * 4

        assert [ask(place, PATHS[0], revoked).status_code for place in range(2)] == [200, 200]
        accounts.revoke_key(revoked)
        wait_until(
            lambda: [ask(place, PATHS[0], revoked).status_code for place in range(2)] == [403, 403], "the revocation"
        )

        assert stop(one) == 0
        assert ask(1, PATHS[0], reading).status_code == 200
        assert stop(other, signal.SIGINT) == 0
