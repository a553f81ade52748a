"""The console command: help, OpenAPI, keys and plans, handing over, one-line errors and exit statuses."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from api import cli as module
from api.cli import registrations
from tests.fixtures.receiver import Receiver
from warehouse.postgres import Connection

pytestmark = pytest.mark.slow

WALLET = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


Cli = Callable[..., Done]


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory: unrelated, with settings for a data directory that does not exist yet."""
    for name in [name for name in os.environ if name.startswith("REGALIA_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("REGALIA_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("PYTHONSAFEPATH", "1")
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def cli(elsewhere: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Runs ``regalia`` in this process."""

    def run(*arguments: str, **environment: str) -> Done:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "argv", ["regalia", *arguments])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            module.main()
        return Done(int(ended.value.code or 0), *capsys.readouterr())

    return run


def run_process(*arguments: str) -> Done:
    """Runs ``regalia`` in a process of its own, which another package's may replace."""
    done = subprocess.run(
        [sys.executable, "-m", "api.cli", *arguments], capture_output=True, text=True, timeout=240, check=False
    )
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize(
    "command", ["up", "demo", "index", "refresh", "status", "keys create", "plans set", "contracts deploy", "export"]
)
def test_help_describes_each_command(cli: Cli, command: str) -> None:
    shown = cli(*command.split(), "--help")
    assert shown.returncode == 0
    assert f"Usage: regalia {command}" in shown.stdout
    assert len(shown.stdout.splitlines()) > 5


def test_help_imports_no_heavy_library_and_makes_no_data_directory(cli: Cli, tmp_path: Path) -> None:
    code = (
        "import sys; from api.cli import app; app(['--help'], standalone_mode=False); "
        "print([name for name in ('fastapi', 'dagster', 'polars', 'sqlalchemy', 'pydantic') if name in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.splitlines()[-1] == "[]"
    cli("--help")
    assert not (tmp_path / "data").exists()


def test_openapi_prints_the_document_and_needs_nothing(cli: Cli, tmp_path: Path) -> None:
    shown = cli("openapi")
    assert shown.returncode == 0, shown.stderr
    assert json.loads(shown.stdout)["paths"]
    assert not (tmp_path / "data").exists()


def test_version(cli: Cli) -> None:
    assert cli("--version").stdout.strip().startswith("0.")


@pytest.fixture
def stores(store_url: str, warehouse_url: str) -> dict[str, str]:
    return {"REGALIA_DATABASE_URL": store_url, "REGALIA_CLICKHOUSE_URL": warehouse_url}


def test_a_key_is_made_listed_and_revoked(cli: Cli, stores: dict[str, str], store: Connection) -> None:
    made = cli("keys", "create", "--wallet", WALLET, "--plan", "developer", "--name", "mine", **stores)
    assert made.returncode == 0, made.stderr
    assert made.stdout.count("\n") == 1
    key = json.loads(made.stdout)
    assert key["key"].startswith("rgl_live_")
    assert (key["plan"], key["name"], key["wallet"]) == ("developer", "mine", WALLET.lower())
    kept = store.execute("SELECT prefix, key_hash FROM api_key").fetchone()
    assert kept is not None
    assert key["key"].encode() not in kept["key_hash"]

    listed = cli("keys", "list", "--wallet", WALLET, **stores)
    assert key["id"] in listed.stdout
    assert key["key"] not in listed.stdout

    assert f"({key['id']})" in cli("keys", "revoke", key["id"], **stores).stdout
    as_json = json.loads(cli("keys", "list", "--json", **stores).stdout)
    assert as_json["revoked_at"] is not None


def test_a_plan_is_set(cli: Cli, stores: dict[str, str], store: Connection) -> None:
    done = cli("plans", "set", "--wallet", WALLET, "--plan", "enterprise", **stores)
    assert done.returncode == 0, done.stderr
    assert store.execute("SELECT wallet, plan FROM account").fetchall() == [
        {"wallet": WALLET.lower(), "plan": "enterprise"}
    ]


def test_a_key_is_renamed_and_keeps_its_accounts_plan(cli: Cli, stores: dict[str, str]) -> None:
    cli("plans", "set", "--wallet", WALLET, "--plan", "partner", **stores)
    made = json.loads(cli("keys", "create", "--wallet", WALLET, **stores).stdout)
    assert made["plan"] == "partner"
    assert "is called laptop" in cli("keys", "rename", made["id"], "laptop", **stores).stdout
    assert "laptop" in cli("keys", "list", **stores).stdout


def test_plans_are_listed_with_their_limits_and_shown_with_their_use(
    cli: Cli, stores: dict[str, str], store: Connection, elsewhere: Path
) -> None:
    limits = elsewhere / "limits.toml"
    limits.write_text("[plans.pro]\nper_day = 77\n")
    listed = json.loads(cli("plans", "list", "--json", REGALIA_LIMITS=str(limits)).stdout)
    assert list(listed) == ["free", "pro", "pro_plus", "developer", "partner", "enterprise"]
    assert listed["pro"]["per_day"] == 77
    assert "enterprise" in cli("plans", "list").stdout

    cli("plans", "set", "--wallet", WALLET, "--plan", "pro", **stores)
    store.execute(
        "INSERT INTO api_usage (subject, day, account_id, used, per_day)"
        " SELECT id, (now() AT TIME ZONE 'UTC')::date, id, 12, 77 FROM account"
    )
    shown = json.loads(cli("plans", "show", "--wallet", WALLET, "--json", **stores).stdout)
    assert (shown["wallet"], shown["plan"], shown["used_today"], shown["per_day"]) == (WALLET.lower(), "pro", 12, 77)
    assert WALLET.lower() in cli("plans", "show", **stores).stdout

    limits.write_text("[plans.pro]\nper_day = 'many'\n")
    refused = cli("plans", "list")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "plans.pro.per_day" in refused.stderr


def test_bad_input_is_one_line_and_writes_nothing(cli: Cli, stores: dict[str, str], store: Connection) -> None:
    for arguments, named in (
        (("keys", "create", "--wallet", "0x12"), "wallet: '0x12' is neither"),
        (("keys", "create", "--wallet", WALLET, "--plan", "gold"), "plan: 'gold' is not one of free"),
        (("keys", "revoke", "nothing"), "no keys match"),
    ):
        refused = cli(*arguments, **stores)
        assert refused.returncode == 2
        assert refused.stderr.startswith("regalia: ")
        assert refused.stderr.count("\n") == 1
        assert named in refused.stderr
    assert store.execute("SELECT count(*) AS n FROM account").fetchone() == {"n": 0}


def test_an_unreachable_store_is_one_line_with_its_own_status(cli: Cli) -> None:
    nowhere = {
        "REGALIA_DATABASE_URL": "postgresql://u:p@127.0.0.1:1/none",
        "REGALIA_CLICKHOUSE_URL": "http://127.0.0.1:1/none",
    }
    refused = cli("keys", "list", **nowhere)
    assert refused.returncode == 3
    assert refused.stderr.startswith("regalia: ")
    assert "Traceback" not in refused.stderr


def test_an_invalid_setting_is_named(cli: Cli) -> None:
    for command in ("up", "status", "keys list"):
        refused = cli(*command.split(), REGALIA_PORT="seventy")
        assert refused.returncode == 2
        assert refused.stderr.startswith("regalia: REGALIA_PORT='seventy': ")
        assert refused.stderr.count("\n") == 1


def test_a_missing_chains_file_is_named(cli: Cli) -> None:
    refused = cli("up", "--without-dagster", REGALIA_CHAINS="/no/such/chains.toml", REGALIA_PORT="0")
    assert refused.returncode == 2
    assert "chains file /no/such/chains.toml: No such file" in refused.stderr


def test_a_command_of_another_package_takes_over_with_its_exit_status(elsewhere: Path) -> None:
    shown = run_process("index", "--chain", "no-such-chain")
    assert shown.returncode == 2
    assert "no-such-chain" in shown.stderr


def test_modules_in_the_callers_folder_are_not_imported(elsewhere: Path) -> None:
    trap = elsewhere / "warehouse"
    trap.mkdir()
    (trap / "__init__.py").write_text("raise SystemExit('imported from the wrong place')")
    shown = run_process("migrate", "--dry-run")
    assert shown.returncode == 3
    assert "no engines run" in shown.stderr


def test_a_private_key_is_not_handed_on_as_an_argument(monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda _, command: commands.append(command))
    monkeypatch.setenv("REGALIA_PRIVATE_KEY", "")
    registrations.deploy_contracts(chain="base", private_key="0xsecret", treasury=None)
    assert commands[0][1:] == ["-m", "indexer", "contracts", "deploy", "--chain", "base"]
    assert os.environ["REGALIA_PRIVATE_KEY"] == "0xsecret"


# -- notices -----------------------------------------------------------------------------------------------------------


def test_the_test_notice_reports_whether_it_was_accepted(cli: Cli, receiver: Receiver) -> None:
    sent = cli("notices", "test", REGALIA_ALERT_WEBHOOK_URL=receiver.url)
    assert sent.returncode == 0
    assert sent.stdout.startswith(f"delivered to 127.0.0.1:{receiver.port}: HTTP 204 in ")
    assert receiver.received[0].body["event"] == "test"
    receiver.answers = [500]
    refused = cli("alerts", "test")  # the former name
    assert (refused.returncode, refused.stderr) == (
        3,
        f"regalia: not delivered: 127.0.0.1:{receiver.port}: HTTP 500\n",
    )
    assert cli("notices", "test", REGALIA_ALERT_WEBHOOK_URL="").returncode == 2
