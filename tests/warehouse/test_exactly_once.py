from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import clickhouse_connect
import pytest

from warehouse import exactly_once
from warehouse.clickhouse import Warehouse
from warehouse.cluster import Cluster
from warehouse.exactly_once import TESTED_CLICKHOUSE, problems

TABLES = "SELECT count() FROM system.tables WHERE database = currentDatabase()"


@pytest.fixture
def connect(warehouse_url: str, warehouse: Warehouse) -> Iterator[Any]:
    """Connects with a profile's settings."""
    clients = []

    def with_settings(cluster: Cluster | None = None, **settings: object) -> Warehouse:
        parts = urlsplit(warehouse_url)
        client = clickhouse_connect.get_client(
            host=parts.hostname,
            port=parts.port,
            username=parts.username,
            password=parts.password,
            database=parts.path.strip("/"),
            settings=settings,
            autogenerate_session_id=False,
        )
        clients.append(client)
        return Warehouse(client, cluster)

    yield with_settings
    for client in clients:
        client.close()


def test_the_tests_engine_passes_and_keeps_no_table_of_the_trial(warehouse: Warehouse) -> None:
    tables = warehouse.scalar(TABLES)
    assert list(problems(warehouse)) == []
    assert warehouse.scalar(TABLES) == tables


def test_the_tested_release_is_the_one_that_the_tests_run_on(warehouse: Warehouse) -> None:
    assert ".".join(map(str, TESTED_CLICKHOUSE)) == ".".join(warehouse.scalar("SELECT version()").split(".")[:2])


def test_an_older_release_is_refused(warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exactly_once, "TESTED_CLICKHOUSE", (99, 1))
    assert any("is older than 99.1" in problem for problem in problems(warehouse))


def test_a_table_without_a_window_is_refused(warehouse: Warehouse) -> None:
    warehouse.command("ALTER TABLE fact_swap MODIFY SETTING non_replicated_deduplication_window = 0")
    assert list(problems(warehouse)) == ["fact_swap has no deduplication window"]


@pytest.mark.parametrize(("setting", "value"), [("async_insert", 1), ("insert_deduplicate", 0)])
def test_a_profile_that_breaks_it_is_refused(connect: Any, setting: str, value: int) -> None:
    assert f"the setting {setting} is {value}" in problems(connect(**{setting: value}))


def test_the_trial_counts_what_an_engine_doubles(connect: Any) -> None:
    found = list(problems(connect(deduplicate_insert="disable")))
    assert "the setting deduplicate_insert is disable" in found
    assert "an insert of rows that was repeated with its token left 2 rows instead of one" in found


def test_a_cluster_of_single_tables_without_a_quorum_is_refused(connect: Any) -> None:
    found = problems(connect(Cluster("main", "regalia", shards=1, replicas=3)))
    assert "the setting insert_quorum is 0, not 3: the user's profile overrides it" in [next(found) for _ in range(3)]
