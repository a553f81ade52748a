"""``regalia status`` and ``regalia doctor`` on real stores and a real node."""

import json
import os
import re
import subprocess
import sys
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from api.ops.commands import checks, checks_of_engines, notices, status, status_tables
from api.ops.commands.checks import Level
from api.ops.supervisor.settings import StackSettings
from api.settings import ApiSettings
from indexer.devchain.anvil import Anvil
from tests.fixtures.receiver import Receiver
from warehouse import postgres, sql
from warehouse.chains import facts
from warehouse.engines import EngineUrls
from warehouse.notices import ledger
from warehouse.notices.conditions import Condition
from warehouse.postgres import Connection


@pytest.fixture(autouse=True)
def settings_of_this_test(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("HOST", "PORT", "CHAINS", "CLICKHOUSE_URL", "DATABASE_URL"):
        monkeypatch.delenv(f"REGALIA_{name}", raising=False)
    monkeypatch.setenv("REGALIA_DATA_DIR", str(tmp_path / "data"))


def chains_file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "chains.toml"
    path.write_text(text)
    return path


def report_of(tmp_path: Path, store_url: str, chains: str) -> status.Report:
    settings = ApiSettings(database_url=store_url, clickhouse_url="http://127.0.0.1:1/none")
    return status.collect(settings, facts.load(chains_file(tmp_path, chains)))


def test_status_of_an_empty_data_directory_creates_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status.show(watch=False, as_json=True)
    report = json.loads(capsys.readouterr().out)
    assert report["store"] == f"{tmp_path / 'data'} holds no data yet; `regalia up` makes it"
    assert (report["stack"], report["chains"], report["steps"], report["queues"]) == (None, [], [], [])
    assert not (tmp_path / "data").exists()


def test_status_shows_head_indexed_lag_and_finality(
    tmp_path: Path, anvil: Anvil, store: Connection, store_url: str
) -> None:
    anvil.rpc("anvil_mine", hex(5))
    head = int(anvil.rpc("eth_blockNumber"), 16)
    store.execute(
        "INSERT INTO chain_checkpoint (chain_id, generation, block_number, block_time, final_block, head_block)"
        " VALUES (8453, 1, %s, now() - interval '40 s', 1, %s), (1, 1, 7, now(), 3, 9)",
        [head - 2, head - 1],
    )
    report = report_of(tmp_path, store_url, f'[chains.base]\nrpc_urls = ["{anvil.url}"]\nfinality_blocks = 12')
    base, eth = report.chains
    assert (base.key, base.head, base.indexed, base.lag_blocks, base.final) == ("base", head, head - 2, 2, 1)
    assert base.lag_seconds is not None
    assert 40 <= base.lag_seconds < 60
    assert (base.finality_blocks, base.state, base.problems) == (12, "ok", [])
    # Disabled, but indexed before: shown with its last state.
    assert (eth.key, eth.head, eth.indexed, eth.lag_blocks, eth.state) == ("eth", 9, 7, 2, "no node")


def test_status_shows_halts_and_node_errors_without_secrets(tmp_path: Path, store: Connection, store_url: str) -> None:
    store.execute(
        "INSERT INTO chain_checkpoint (chain_id, generation, block_number, head_block, halted)"
        " VALUES (8453, 1, 5, 9, 'reorganised beyond finality')"
    )
    report = report_of(tmp_path, store_url, '[chains.base]\nrpc_urls = ["http://127.0.0.1:1/v1/secret-key"]')
    assert report.chains[0].state == "halted: reorganised beyond finality"
    assert (report.chains[0].head, report.chains[0].lag_blocks) == (9, 4)
    assert report.chains[0].problems[0].startswith("http://127.0.0.1:1: ")
    assert "secret" not in repr(report)


def run_step(store: Connection, step: str, chain_id: int | None, seconds: float, rows: int, *span: str) -> None:
    """A run as the pipelines record it."""
    store.execute(
        sql.load("store/step_runs/record").encode(),
        {
            "step": step,
            "chain_id": chain_id,
            "started_at": datetime.now(UTC),
            "seconds": seconds,
            "row_count": rows,
            "range_from": span[0] if span else None,
            "range_to": span[1] if span else None,
        },
    )


def test_status_shows_the_last_run_of_each_step(tmp_path: Path, store: Connection, store_url: str) -> None:
    run_step(store, "holders", 8453, 9, 1, "0", "5")
    run_step(store, "holders", 8453, 0.25, 42, "6", "9")
    run_step(store, "search", None, 1.5, 7)
    store.execute(sql.load("store/step_runs/record_failure").encode(), {"step": "agg_token"})
    report = report_of(tmp_path, store_url, "")
    shown = [(run.step, run.chain, run.seconds, run.rows, run.range_from, run.range_to) for run in report.steps]
    assert shown == [
        ("agg_token", None, None, None, None, None),
        ("holders", "base", 0.25, 42, "6", "9"),
        ("search", None, 1.5, 7, None, None),
    ]
    assert [run.failures for run in report.steps] == [1, 0, 0]
    summed = store.execute("SELECT runs, seconds, row_count FROM asset_total WHERE asset = 'holders'").fetchall()
    assert summed == [{"runs": 2, "seconds": Decimal("9.250"), "row_count": 43}]


def test_status_shows_the_depth_of_queues(tmp_path: Path, store: Connection, store_url: str) -> None:
    assert report_of(tmp_path, store_url, "").queues == []
    store.execute("SET search_path = jobs")
    store.execute(
        "INSERT INTO jobs.procrastinate_jobs (queue_name, task_name, status) VALUES"
        " ('mail', 'send', 'todo'), ('mail', 'send', 'todo'), ('mail', 'send', 'failed'), ('watch', 'look', 'doing')"
    )
    # Dagster's table, as it creates it in this store.
    store.execute("CREATE SCHEMA dagster CREATE TABLE runs (status text, update_timestamp timestamp)")
    store.execute("INSERT INTO dagster.runs VALUES ('QUEUED', now()), ('STARTED', now()), ('FAILURE', '2020-01-01')")
    assert report_of(tmp_path, store_url, "").queues == [
        status.QueueStatus("mail", waiting=2, running=0, failed=1),
        status.QueueStatus("watch", waiting=0, running=1, failed=0),
        status.QueueStatus("dagster runs", waiting=1, running=1, failed=0),
    ]


def printed(
    report: status.Report, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int | None = None
) -> str:
    """The output; with a width, that of a terminal of this width."""
    monkeypatch.setenv("COLUMNS", str(width or 80))
    if width:
        monkeypatch.setenv("FORCE_COLOR", "1")
    capsys.readouterr()
    status_tables.print_report(report, watch=True)
    return re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", capsys.readouterr().out)


def test_the_table_is_plain_text_outside_a_terminal(
    tmp_path: Path,
    store: Connection,
    store_url: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store.execute(
        "INSERT INTO chain_checkpoint (chain_id, generation, block_number, head_block, final_block)"
        " VALUES (8453, 1, 1234567, 1234569, 1234000)"
    )
    run_step(store, "heartbeats", 8453, 6.51, 9876, "2026-11-21T00:00:00+00:00", "2026-11-21T01:50:05+00:00")
    report = report_of(tmp_path, store_url, "")
    shown = printed(report, capsys, monkeypatch)
    assert f"{report.taken_at:%Y-%m-%d %H:%M}" in shown  # dated, because a pipe is appended to and not redrawn
    assert "service: not running on" in shown
    row = next(line.split() for line in shown.splitlines() if line.startswith("base"))
    assert row[:4] == ["base", "1,234,569", "1,234,567", "2"]
    assert "heartbeats" in shown
    assert " 9,876 " in shown  # not cut to the width


@pytest.mark.parametrize("width", [50, 80, 120])
def test_a_narrow_terminal_drops_columns_and_cuts_no_line(
    width: int,
    tmp_path: Path,
    store: Connection,
    store_url: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store.execute(
        "INSERT INTO chain_checkpoint (chain_id, generation, block_number, block_time, head_block, final_block, halted)"
        " VALUES (8453, 1, 31234567, now(), 31234569, 31234000, %s)",
        ("the node has another block 31234001 than the one indexed, which was final: nothing was changed.",),
    )
    run_step(store, "registrations", 8453, 6.51, 9_876_543, "6", "9")
    ledger.report(store, Condition("check_failed", "a.b", "error", "check b of a failed: 3 violations", {}))
    shown = printed(report_of(tmp_path, store_url, ""), capsys, monkeypatch, width)
    tables = shown[shown.index("notice") :].splitlines()
    assert max(map(len, tables)) <= width or width < 60
    joined = " ".join(shown.split())
    assert "31,234,567" in joined
    assert "base is halted: the node has another block 31234001" in joined
    assert "the way out: regalia index --chain base --rewind BLOCK" in joined
    assert "check b of a failed: 3 violations" in joined
    assert "registrations" in joined
    assert "…" not in shown


def test_watching_survives_an_engines_restart(
    tmp_path: Path, store: Connection, store_url: str, engines: EngineUrls
) -> None:
    name = store.info.dbname
    assert report_of(tmp_path, store_url, "").store == "ok"
    with postgres.connect(engines.database_url, autocommit=True) as server:
        server.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false".encode())
        assert "not currently accepting connections" in report_of(tmp_path, store_url, "").store
        server.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true".encode())
    assert report_of(tmp_path, store_url, "").store == "ok"
    with postgres.connect(store_url) as blocker, pytest.MonkeyPatch.context() as patch:
        patch.setattr(status, "STATEMENT_TIMEOUT", "200ms")
        blocker.execute("LOCK TABLE chain_checkpoint IN ACCESS EXCLUSIVE MODE")
        assert "statement timeout" in report_of(tmp_path, store_url, "").store


def test_a_store_without_tables_is_not_an_error(tmp_path: Path, store: Connection, store_url: str) -> None:
    store.execute("DROP TABLE operator_alert")
    assert "regalia migrate" in report_of(tmp_path, store_url, "").store


@pytest.mark.slow
def test_watching_ends_when_its_output_is_closed(store_url: str) -> None:
    command = [sys.executable, "-m", "api.cli", "status", "--watch", "--json"]
    environment = os.environ | {"REGALIA_DATABASE_URL": store_url, "REGALIA_CLICKHOUSE_URL": "http://u:p@127.0.0.1:9/x"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert json.loads(process.stdout.readline())["store"] == "ok"
        process.stdout.close()
        assert process.wait(60) == 0
        assert process.stderr.read() == ""


def test_durations_are_readable() -> None:
    assert [status_tables.span(seconds) for seconds in (0.2, 59, 61, 7300, 200_000)] == [
        "0 s",
        "59 s",
        "1 min 1 s",
        "2 h 1 min",
        "2 d 7 h",
    ]


# -- doctor --------------------------------------------------------------------------------------------------------


def found(findings: object, subject: str) -> list[checks.Finding]:
    return [finding for finding in findings if finding.subject == subject]  # type: ignore[attr-defined]


def test_doctor_passes_healthy_stores(store_url: str, warehouse_url: str) -> None:
    settings = StackSettings(database_url=store_url, clickhouse_url=warehouse_url)
    findings = list(checks_of_engines.engines_reachable(settings))
    assert [(finding.level, finding.subject) for finding in findings] == [
        (Level.OK, "store"),
        (Level.OK, "warehouse"),
        (Level.OK, "schema"),
    ]


def test_doctor_names_the_dead_engine_and_its_setting() -> None:
    settings = StackSettings(database_url="postgresql://u:p@127.0.0.1:1/x", clickhouse_url="http://u:p@127.0.0.1:1/x")
    store, warehouse = checks_of_engines.engines_reachable(settings)
    assert (store.level, store.advice) == (Level.BROKEN, "start it, or correct REGALIA_DATABASE_URL")
    assert (warehouse.level, warehouse.advice) == (Level.BROKEN, "start it, or correct REGALIA_CLICKHOUSE_URL")


def test_doctor_compares_nodes_chain_ids_and_clocks(tmp_path: Path) -> None:
    with Anvil.start(chain_id=8453) as node:
        node.rpc("anvil_mine", "0x1")
        file = chains_file(
            tmp_path,
            f'[chains.base]\nrpc_urls = ["{node.url}", "http://127.0.0.1:1"]\n'
            f'[chains.eth]\nrpc_urls = ["{node.url}"]\n[chains.gnosis]\nrpc_urls = ["http://127.0.0.1:1"]\n',
        )
        chains = facts.load(file)
        findings = list(checks.nodes_answer(chains))
        good, down = found(findings, "base")
        assert good.level in (Level.OK, Level.WARNING)
        assert down.level is Level.WARNING  # the other one takes over
        (wrong,) = found(findings, "eth")
        assert wrong.level is Level.BROKEN
        assert "8453" in wrong.message
        (lost,) = found(findings, "gnosis")
        assert lost.level is Level.BROKEN
        assert lost.advice == "start the node, or correct chains.gnosis.rpc_urls"

        node.rpc("evm_increaseTime", 10 * 86400)
        node.rpc("anvil_mine", "0x1")
        ahead = found(checks.nodes_answer(chains), "base")[0]
        assert ahead.level is Level.BROKEN
        assert "in the future" in ahead.message


def test_doctor_reports_misspelt_and_invalid_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REGALIA_DATABSE_URL", "postgresql://x")
    loaded, findings = checks.settings()
    assert loaded is not None
    assert (findings[0].level, findings[0].advice) == (Level.WARNING, "did you mean REGALIA_DATABASE_URL?")
    monkeypatch.setenv("REGALIA_PORT", "99999")
    loaded, findings = checks.settings()
    assert loaded is None
    assert findings[-1].level is Level.BROKEN
    assert findings[-1].message.startswith("REGALIA_PORT='99999': ")


def test_doctor_names_an_invalid_overlay(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, content in (("PRICING", b"claim_usd = 1000"), ("APPS", b"['no id']"), ("LIMITS", b"\xff")):
        file = tmp_path / f"{name.lower()}.toml"
        file.write_bytes(content)
        monkeypatch.setenv(f"REGALIA_{name}", str(file))
    broken = [finding.message for finding in checks.settings()[1] if finding.level is Level.BROKEN]
    assert [message.split(" ")[:2] for message in broken] == [["limits", "file"], ["pricing", "file"], ["apps", "file"]]


def test_doctor_names_the_error_in_the_chains_file(tmp_path: Path) -> None:
    broken = StackSettings(chains=chains_file(tmp_path, "[chains.base\n"))
    assert checks.chains_file(broken)[1][0].level is Level.BROKEN
    unknown = StackSettings(chains=chains_file(tmp_path, '[chains.base.contracts]\nregistri = "0x1"'))
    chains, findings = checks.chains_file(unknown)
    assert chains is not None
    assert "registri" in findings[0].message
    assert findings[-1].message == "no chain has a node, so nothing is indexed"


def test_doctor_finds_a_taken_port_and_a_data_directory_that_is_a_file(tmp_path: Path) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        (finding,) = checks.api_port(StackSettings(port=taken.getsockname()[1]))
    assert finding.level is Level.BROKEN
    file = tmp_path / "file"
    file.write_text("")
    (finding,) = checks.data_directory(StackSettings(data_dir=file))
    assert (finding.level, finding.subject) == (Level.BROKEN, "data")


def test_doctor_reports_whether_notices_are_sent(receiver: Receiver) -> None:
    (finding,) = notices.receiver_reachable(StackSettings())
    assert (finding.level, finding.message) == (Level.OK, "notices have no receiver: failures are only logged")
    (there,) = notices.receiver_reachable(StackSettings(alert_webhook_url=receiver.url, alert_webhook_secret="s"))
    assert (there.level, there.advice) == (Level.OK, None)
    (gone,) = notices.receiver_reachable(StackSettings(alert_webhook_url="http://127.0.0.1:9/t0ken"))
    assert (gone.level, gone.message) == (Level.WARNING, "127.0.0.1:9 cannot be reached: ConnectionRefusedError")
    assert receiver.received == []


def test_doctor_warns_if_a_public_service_allows_loopback() -> None:
    assert list(checks.outbound(StackSettings(host="0.0.0.0"))) == []
    assert list(checks.outbound(StackSettings(outbound_loopback=True))) == []
    for public in (
        StackSettings(outbound_loopback=True, host="0.0.0.0"),
        StackSettings(outbound_loopback=True, base_url="https://api.example.org"),
    ):
        (finding,) = checks.outbound(public)
        assert (finding.level, finding.subject) == (Level.WARNING, "outbound")


def test_doctor_words_a_dead_warehouse_in_one_line(store_url: str) -> None:
    settings = StackSettings(database_url=store_url, clickhouse_url="http://somebody:s3cret@127.0.0.1:1/regalia")
    [finding] = [found for found in checks_of_engines.engines_reachable(settings) if found.subject == "warehouse"]
    assert (finding.level, finding.message) == (Level.BROKEN, "ClickHouse does not answer at 127.0.0.1:1")
    assert finding.advice == "start it, or correct REGALIA_CLICKHOUSE_URL"
