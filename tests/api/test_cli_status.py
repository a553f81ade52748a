"""``regalia status`` and ``regalia doctor`` on real stores and a real node."""

import json
from pathlib import Path

import pytest

from api.commands import alerts, checks, checks_of_engines, status, status_tables
from api.commands.checks import Level
from api.core.settings import ApiSettings
from api.stack.settings import StackSettings
from indexer.chains import facts
from indexer.devchain.anvil import Anvil
from tests.fixtures.receiver import Receiver
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


def test_status_of_a_fresh_data_directory_says_so_and_makes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status.show(watch=False, as_json=True)
    report = json.loads(capsys.readouterr().out)
    assert report["store"] == f"{tmp_path / 'data'} holds no data yet; `regalia up` makes it"
    assert (report["stack"], report["chains"], report["assets"], report["queues"]) == (None, [], [], [])
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
    # No longer enabled, but it was indexed: shown with what was seen last.
    assert (eth.key, eth.head, eth.indexed, eth.lag_blocks, eth.state) == ("eth", 9, 7, 2, "no node")


def test_status_says_halted_and_what_is_wrong_with_a_node_without_its_secret(
    tmp_path: Path, store: Connection, store_url: str
) -> None:
    store.execute(
        "INSERT INTO chain_checkpoint (chain_id, generation, block_number, head_block, halted)"
        " VALUES (8453, 1, 5, 9, 'reorganised beyond finality')"
    )
    report = report_of(tmp_path, store_url, '[chains.base]\nrpc_urls = ["http://127.0.0.1:1/v1/secret-key"]')
    assert report.chains[0].state == "halted: reorganised beyond finality"
    assert (report.chains[0].head, report.chains[0].lag_blocks) == (9, 4)
    assert report.chains[0].problems[0].startswith("http://127.0.0.1:1: ")
    assert "secret" not in repr(report)


def test_status_shows_the_last_run_of_each_asset(tmp_path: Path, store: Connection, store_url: str) -> None:
    store.execute(
        "INSERT INTO asset_run (asset, chain_id, started_at, seconds, row_count, range_from, range_to) VALUES"
        " ('holders', 8453, now() - interval '1 hour', 9, 1, '0', '5'),"
        " ('holders', 8453, now(), 0.25, 42, '6', '9'),"
        " ('search', NULL, now(), 1.5, 7, NULL, NULL)"
    )
    report = report_of(tmp_path, store_url, "")
    shown = [(run.asset, run.chain, run.seconds, run.rows, run.range_from, run.range_to) for run in report.assets]
    assert shown == [("holders", "base", 0.25, 42, "6", "9"), ("search", None, 1.5, 7, None, None)]


def test_status_shows_the_depth_of_queues(tmp_path: Path, store: Connection, store_url: str) -> None:
    assert report_of(tmp_path, store_url, "").queues == []
    store.execute("SET search_path = jobs")
    store.execute(
        "INSERT INTO jobs.procrastinate_jobs (queue_name, task_name, status) VALUES"
        " ('mail', 'send', 'todo'), ('mail', 'send', 'todo'), ('mail', 'send', 'failed'), ('watch', 'look', 'doing')"
    )
    # As Dagster makes it, once it runs on this store.
    store.execute("CREATE SCHEMA dagster CREATE TABLE runs (status text, update_timestamp timestamp)")
    store.execute("INSERT INTO dagster.runs VALUES ('QUEUED', now()), ('STARTED', now()), ('FAILURE', '2020-01-01')")
    assert report_of(tmp_path, store_url, "").queues == [
        status.QueueStatus("mail", waiting=2, running=0, failed=1),
        status.QueueStatus("watch", waiting=0, running=1, failed=0),
        status.QueueStatus("dagster runs", waiting=1, running=1, failed=0),
    ]


def test_the_table_is_plain_text(
    tmp_path: Path, store: Connection, store_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    store.execute(
        "INSERT INTO chain_checkpoint (chain_id, generation, block_number, head_block, final_block)"
        " VALUES (8453, 1, 1234567, 1234569, 1234000)"
    )
    store.execute(
        "INSERT INTO asset_run (asset, chain_id, started_at, seconds, row_count, range_from, range_to)"
        " VALUES ('heartbeats', 8453, now(), 6.51, 9876, %s, %s)",
        ("2026-11-21T00:00:00+00:00", "2026-11-21T01:50:05+00:00"),
    )
    status_tables.print_report(report_of(tmp_path, store_url, ""))
    shown = capsys.readouterr().out
    assert "service: not running on" in shown
    row = next(line.split() for line in shown.splitlines() if line.startswith("base"))
    assert row[:4] == ["base", "1,234,569", "1,234,567", "2"]
    assert "heartbeats" in shown
    assert " 9,876 " in shown  # not cut for want of width


def test_spans_read_well() -> None:
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


def test_doctor_finds_good_stores_good(store_url: str, warehouse_url: str) -> None:
    settings = StackSettings(database_url=store_url, clickhouse_url=warehouse_url)
    findings = list(checks_of_engines.engines_reachable(settings))
    assert [(finding.level, finding.subject) for finding in findings] == [
        (Level.OK, "store"),
        (Level.OK, "warehouse"),
        (Level.OK, "schema"),
    ]


def test_doctor_says_which_engine_does_not_answer_and_which_setting_to_correct() -> None:
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


def test_doctor_notices_misspelt_and_senseless_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REGALIA_DATABSE_URL", "postgresql://x")
    loaded, findings = checks.settings()
    assert loaded is not None
    assert (findings[0].level, findings[0].advice) == (Level.WARNING, "did you mean REGALIA_DATABASE_URL?")
    monkeypatch.setenv("REGALIA_PORT", "99999")
    loaded, findings = checks.settings()
    assert loaded is None
    assert findings[-1].level is Level.BROKEN
    assert findings[-1].message.startswith("REGALIA_PORT='99999': ")


def test_doctor_names_what_is_wrong_with_the_chains_file(tmp_path: Path) -> None:
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


def test_doctor_says_whether_anybody_is_told_of_trouble(receiver: Receiver) -> None:
    (nobody,) = alerts.receiver_reachable(StackSettings())
    assert (nobody.level, nobody.message) == (Level.OK, "nobody is told when something goes wrong")
    (there,) = alerts.receiver_reachable(StackSettings(alert_webhook_url=receiver.url, alert_webhook_secret="s"))
    assert (there.level, there.advice) == (Level.OK, None)
    (gone,) = alerts.receiver_reachable(StackSettings(alert_webhook_url="http://127.0.0.1:9/t0ken"))
    assert (gone.level, gone.message) == (Level.WARNING, "127.0.0.1:9 cannot be reached: ConnectionRefusedError")
    assert receiver.received == []
