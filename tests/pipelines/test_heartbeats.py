import json
from decimal import Decimal
from typing import Any

from pipelines.heartbeats.derive import HOUR_SECONDS, SUBJECT, score_hours
from pipelines.refresh import refresh
from pipelines.refresh_run import open_refresh_run
from pipelines.scoring import Inputs, score
from tests.factories.economy import Economy
from tests.factories.ledger import START, Ledger, address
from tests.factories.markets import build_market
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chains
from warehouse.postgres import Connection

HOUR = 3_600


def rows(warehouse: Warehouse, token: str) -> list[dict[str, Any]]:
    return warehouse.rows(
        "SELECT toUInt32(hour) AS began, score, timestamp_score, volume_score, holders_score, confidence_score,"
        " weights_version, inputs FROM agg_heartbeat FINAL WHERE token = unhex({token:String}) ORDER BY hour",
        {"token": token},
    )


def last_block_before(warehouse: Warehouse, seconds: int) -> int:
    block: int = warehouse.scalar(
        "SELECT max(block_number) FROM raw_block WHERE block_time < {moment:DateTime('UTC')}", {"moment": seconds}
    )
    return block


def test_without_registrations_nothing_is_scored(warehouse: Warehouse, store: Connection, chains: Chains) -> None:
    refresh(warehouse, store, chains)
    assert warehouse.scalar("SELECT count() FROM agg_heartbeat") == 0


def test_every_stored_score_recomputes_from_its_row(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    token, _ = build_market(ledger)
    refresh(warehouse, store, chains)
    for _ in range(3):
        ledger.mine(HOUR)
        ledger.transfer(token, address(0xD1), address(0xD3), 1)
        ledger.publish()
        refresh(warehouse, store, chains, full=False)
    found = rows(warehouse, token)
    assert [row["began"] for row in found] == [START, START + HOUR, START + 2 * HOUR, START + 3 * HOUR]
    for row in found:
        made = score(Inputs.from_json(row["inputs"]), row["weights_version"])
        assert (made.score, made.timestamp, made.volume, made.holders, made.confidence) == (
            row["score"],
            row["timestamp_score"],
            row["volume_score"],
            row["holders_score"],
            row["confidence_score"],
        )
    final = [json.loads(row["inputs"])["as_of"] for row in found[:-1]]
    assert final == [START + HOUR, START + 2 * HOUR, START + 3 * HOUR]
    assert json.loads(found[0]["inputs"])["volume_24h_usd"] == "2000.000000"


def test_the_store_holds_the_newest_score(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    token, _ = build_market(ledger)
    ledger.mine(30 * 60)
    ledger.publish()
    refresh(warehouse, store, chains)
    newest = rows(warehouse, token)[-1]
    listed = store.execute("SELECT score, confidence_score FROM indexed_token WHERE address = %s", (f"0x{token}",))
    assert listed.fetchone() == {"score": newest["score"], "confidence_score": newest["confidence_score"]}
    served = warehouse.rows(
        "SELECT heartbeat_score FROM serve_token WHERE symbol = 'PEPE' ORDER BY version DESC LIMIT 1"
    )
    assert served[0]["heartbeat_score"] == newest["score"]


def test_an_hour_without_changes_updates_scores_and_builds_no_document(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    token, _ = build_market(ledger)
    for _ in range(4):
        ledger.mine(600)
    ledger.publish()
    refresh(warehouse, store, chains)
    served = "SELECT lower(hex(address)) AS served, max(version) AS version FROM serve_token GROUP BY address"
    before = {row["served"]: row["version"] for row in warehouse.rows(served)}
    # As if all had been scored long ago, and one of them otherwise than it was.
    store.execute("UPDATE indexed_token SET scored_at = '2020-01-01+00'")
    store.execute("UPDATE indexed_token SET volume_score = 1 WHERE address = %s", (f"0x{token}",))
    for _ in range(6):
        ledger.mine(600)
    ledger.publish()
    runs = refresh(warehouse, store, chains, steps=["heartbeats", "documents", "provenance"])
    written = {run.step for run in runs if run.rows}
    assert written == {"weights", "heartbeats"}
    assert {row["served"]: row["version"] for row in warehouse.rows(served)} == before
    newest = {
        row["scored"]: (row["moment"], row["part"])
        for row in warehouse.rows(
            "SELECT concat('0x', lower(hex(token))) AS scored, max(computed_at) AS moment,"
            " argMax(volume_score, hour) AS part FROM agg_heartbeat FINAL GROUP BY token"
        )
    }
    listed = store.execute("SELECT address, scored_at, volume_score, as_of_block FROM indexed_token").fetchall()
    assert {row["address"]: (row["scored_at"], row["volume_score"]) for row in listed} == newest
    closed = warehouse.scalar("SELECT toUInt32(max(hour)) FROM agg_heartbeat") + HOUR
    assert {row["as_of_block"] for row in listed} == {last_block_before(warehouse, closed)}


def test_scores_of_closed_hours_carry_the_last_block_of_their_hour(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    token, _ = build_market(ledger)
    for seconds in (1_200, 2_399, 1, HOUR, 4 * HOUR, 20, 1_000):
        ledger.mine(seconds)
        ledger.transfer(token, address(0xD1), address(0xD3), 1)
    ledger.publish()
    refresh(warehouse, store, chains)
    found = warehouse.rows(
        "SELECT toUInt32(hour) AS began, as_of_block FROM agg_heartbeat FINAL WHERE token = unhex({token:String})"
        " ORDER BY hour",
        {"token": token},
    )
    assert len(found) >= 7
    for row in found[:-1]:
        assert row["as_of_block"] == last_block_before(warehouse, row["began"] + HOUR)
    assert found[-1]["as_of_block"] == ledger.block


def test_a_followers_runs_score_the_running_hour_first_and_catch_up_later(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    token, _ = build_market(ledger)
    for _ in range(5):
        ledger.mine(HOUR)
        ledger.transfer(token, address(0xD1), address(0xD3), 1)
    ledger.publish()
    began = [START + hour * HOUR for hour in range(6)]
    refresh(warehouse, store, chains, full=False)
    assert [row["began"] for row in rows(warehouse, token)] == [*began[:2], began[-1]]
    for _ in range(2):
        refresh(warehouse, store, chains, full=False)
    assert [row["began"] for row in rows(warehouse, token)] == began


def test_hours_without_blocks_lower_confidence_and_are_not_inactivity(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    token, _ = build_market(ledger)
    refresh(warehouse, store, chains)
    before = rows(warehouse, token)[-1]
    ledger.mine(12 * HOUR)
    ledger.publish()
    refresh(warehouse, store, chains)
    after = rows(warehouse, token)[-1]
    assert before["confidence_score"] == 100
    assert after["confidence_score"] < 10
    assert after["timestamp_score"] == 100
    idle = json.loads(after["inputs"])["idle_seconds"]
    assert idle < HOUR
    ledger.mine(600)
    ledger.transfer(token, address(0xD1), address(0xD3), 1)
    ledger.publish()
    refresh(warehouse, store, chains)
    assert rows(warehouse, token)[-1]["confidence_score"] < Decimal(10), "the gap is remembered"


def test_a_token_that_died_gets_no_row_for_hours_that_change_nothing(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    token, _ = build_market(ledger)
    refresh(warehouse, store, chains)
    for _ in range(40 * 24 * 6):
        ledger.mine(600)
    ledger.publish()
    refresh(warehouse, store, chains)
    count = len(rows(warehouse, token))
    assert rows(warehouse, token)[-1]["timestamp_score"] == 0
    for _ in range(18):
        ledger.mine(600)
    ledger.publish()
    refresh(warehouse, store, chains)
    assert len(rows(warehouse, token)) == count


def test_hours_scored_together_equal_hours_scored_one_by_one(
    warehouse: Warehouse, store: Connection, chains: Chains, ledger: Ledger
) -> None:
    economy = Economy(ledger, 5)
    economy.create_assets()
    economy.add_blocks(60)
    ledger.publish()
    refresh(warehouse, store, chains)
    read = "SELECT * EXCEPT (computed_at, token), hex(token) FROM agg_heartbeat FINAL ORDER BY ALL"
    chain = chains.by_key["base"]
    scored = []
    for together in (True, False):
        warehouse.command("TRUNCATE TABLE agg_heartbeat")
        with open_refresh_run(warehouse, store, chains) as run:
            window = run.windows.open(SUBJECT, chain)
            assert window is not None
            end = int(window.as_of.timestamp()) // HOUR_SECONDS * HOUR_SECONDS
            hours = range(end - 24 * HOUR_SECONDS, end, HOUR_SECONDS)
            if together:
                score_hours(run, window, hours)
            else:
                for hour in hours:
                    score_hours(run, window, [hour])
        scored.append(warehouse.rows(read))
    assert len(scored[0]) > 24
    assert scored[0] == scored[1]
