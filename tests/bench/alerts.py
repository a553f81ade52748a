"""What it costs to evaluate a million alert rules on a hundred thousand tokens, compared with scoring these tokens.

The evaluation is the service's own command in a process of its own, over engines that hold readings of every token.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from pipelines.refresh import refresh
from tests.bench.directories import new_directory
from tests.bench.machine import compare, sampled
from tests.bench.memory import MemoryWatch
from tests.bench.result import Result
from tests.factories.history import CHAIN_ID, History
from tests.factories.ledger import CHAINS_TOML
from warehouse import engines, postgres
from warehouse.chains import facts
from warehouse.clickhouse import Warehouse
from warehouse.domain.alerts import RULES_OF_PLAN
from warehouse.engines import EngineUrls
from warehouse.postgres import Connection
from warehouse.settings import EngineSettings

ROOT = Path(__file__).resolve().parents[2]
RULES, TOKENS, POOLS = 1_000_000, 100_000, 20_000
BLOCKS, BLOCK_SECONDS = 4_000, 60
"""Almost three days."""
PLAN = "pro_plus"
_KINDS = 6
_ACCOUNTS = """
INSERT INTO account (wallet, plan)
SELECT '0x' || lpad(to_hex(number), 40, '0'), %(plan)s FROM generate_series(1, %(accounts)s) AS number
"""
# The tokens one after the other, each with all kinds of rules. One rule in a hundred is breached.
_RULES = """
INSERT INTO alert_rule (account_id, wallet, chain_id, token_address, symbol, alert_type, operator, threshold,
    window_minutes, cooldown_minutes, enabled, judged)
SELECT account.id, account.wallet, %(chain_id)s, token.address, token.symbol_key,
    (ARRAY['heartbeat_score', 'holder_count_drop', 'liquidity_drop', 'volume_anomaly', 'price_change',
        'top10_concentration'])[1 + number / %(tokens)s %% %(kinds)s],
    CASE WHEN number %% 100 = 0 THEN 'gt' ELSE 'pct_spike' END,
    CASE WHEN number %% 100 = 0 THEN 0.000000001 ELSE 1000000 END, 60, 60, true, true
FROM generate_series(0, %(rules)s - 1) AS number
JOIN (
    SELECT row_number() OVER (ORDER BY address) - 1 AS place, address, symbol_key
    FROM indexed_token WHERE chain_id = %(chain_id)s
) AS token ON token.place = number %% %(tokens)s
JOIN (SELECT row_number() OVER (ORDER BY wallet) - 1 AS place, id, wallet FROM account) AS account
  ON account.place = number %% %(accounts)s
"""


def measure(directory: Path, progress: Callable[[str], None]) -> list[Result]:
    """Score all tokens in full, then evaluate the rules once."""
    data_dir = new_directory(directory, "alerts")
    settings = EngineSettings(data_dir=data_dir, clickhouse_url=None, database_url=None)
    chains_file = data_dir / "chains.toml"
    chains_file.write_text(CHAINS_TOML)
    with (
        engines.ensure(settings) as urls,
        Warehouse.connect(urls.clickhouse_url) as warehouse,
        postgres.connect(urls.database_url, autocommit=True) as store,
        sampled(urls.clickhouse_url) as machine,
    ):
        history = History(warehouse, store, tokens=TOKENS, pools=POOLS, block_seconds=BLOCK_SECONDS)
        events = history.create_assets() + history.add_blocks(BLOCKS)
        runs = refresh(warehouse, store, facts.load(chains_file))
        scoring = sum(run.seconds for run in runs if run.step == "heartbeats")
        progress(f"{events:,} events of {TOKENS:,} tokens; heartbeats scored in {scoring:.1f} s")
        _add_rules(store)
        progress(f"{RULES:,} rules")
        machine.sample()
        seconds, memory_mb = _evaluate(data_dir, chains_file, urls)
        machine.sample()
        [found] = store.execute(
            "SELECT (SELECT count(*) FROM alert_instance) AS alerts,"
            " (SELECT count(*) FROM event_log WHERE type = 'alert.triggered') AS events"
        ).fetchall()
        progress(f"evaluated in {seconds:.1f} s with {memory_mb:.0f} MB: {found['alerts']:,} alerts")
    return [
        Result(
            f"alerts: {RULES:,} rules on {TOKENS:,} tokens / scoring the tokens", seconds / scoring, "ratio", "<= 1"
        ),
        *compare(
            "alerts: evaluation, from its start to the last event",
            seconds,
            "s",
            "<= 14000",
            "a bare request",
            machine.mean_request_ms() / 1000,
        ),
        *machine.results("alerts"),
        Result("alerts: peak memory of the evaluation", memory_mb, "MB", "<= 1500"),
        Result("alerts: alerts raised without an event", found["alerts"] - found["events"], "alerts", "== 0"),
        Result("alerts: alerts raised", found["alerts"], "alerts", f">= {RULES // 250}"),
        Result("alerts: heartbeats of all tokens scored", scoring, "s"),
    ]


def _add_rules(store: Connection) -> None:
    accounts = RULES // RULES_OF_PLAN[PLAN]
    store.execute(_ACCOUNTS, {"plan": PLAN, "accounts": accounts})
    wanted = {"chain_id": CHAIN_ID, "tokens": TOKENS, "accounts": accounts, "rules": RULES, "kinds": _KINDS}
    store.execute(_RULES, wanted)
    store.execute("ANALYZE alert_rule")


def _evaluate(data_dir: Path, chains_file: Path, urls: EngineUrls) -> tuple[float, float]:
    """Evaluate once; seconds of the process, and its peak memory in MB."""
    environment = os.environ | {
        "REGALIA_DATA_DIR": str(data_dir),
        "REGALIA_DATABASE_URL": urls.database_url,
        "REGALIA_CLICKHOUSE_URL": urls.clickhouse_url,
        "REGALIA_CHAINS": str(chains_file),
        "PYTHONPATH": str(ROOT),
    }
    began = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "pipelines", "alerts"], env=environment, cwd=ROOT)
    with MemoryWatch(process.pid) as memory:
        status = process.wait()
    if status:
        raise SystemExit(f"the evaluation ended with status {status}")
    return time.perf_counter() - began, sum(memory.peaks_mb.values())
