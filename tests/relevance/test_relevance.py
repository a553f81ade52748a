"""Search over a made world: originals first, copies below them, before and after the originals are claimed."""

import asyncio
import secrets
from collections.abc import Iterator

import pytest

from tests.relevance.generator import World
from tests.relevance.judging import Judgement, api, judge
from tests.relevance.ndcg import ndcg
from tests.relevance.planting import Planter, chains_file
from warehouse import migrate, postgres
from warehouse.clickhouse import Warehouse
from warehouse.engines import EngineUrls
from warehouse.postgres import with_database

MARK = 0.95


@pytest.fixture(scope="module")
def world() -> World:
    return World()


@pytest.fixture(scope="module")
def urls(engines: EngineUrls, store_template: str, warehouse_server: Warehouse) -> Iterator[EngineUrls]:
    """Databases for this module."""
    name = f"relevance_{secrets.token_hex(6)}"
    clickhouse_url = f"{engines.clickhouse_url.rpartition('/')[0]}/{name}"
    with postgres.connect(engines.database_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {store_template} STRATEGY FILE_COPY")
        migrate.apply_warehouse(clickhouse_url)
        yield EngineUrls(clickhouse_url, with_database(engines.database_url, name))
        warehouse_server.command(f"DROP DATABASE {name}")
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="module")
def judged(world: World, urls: EngineUrls, tmp_path_factory: pytest.TempPathFactory) -> tuple[Judgement, Judgement]:
    """The judgement of all queries, and of all again when every other owner has claimed."""
    folder = tmp_path_factory.mktemp("relevance")
    chains = chains_file(folder / "chains.toml")
    with (
        Warehouse.connect(urls.clickhouse_url) as warehouse,
        postgres.connect(urls.database_url, autocommit=True) as store,
    ):
        planter = Planter(warehouse, store, chains)

        async def ask() -> Judgement:
            async with api(urls, folder / "data", planter, chains) as client:
                return await judge(client, world)

        planter.plant(world)
        before = asyncio.run(ask())
        planter.claim(world.claims())
        return before, asyncio.run(ask())


def test_the_set_is_large_and_has_every_kind(world: World) -> None:
    assert len(world.queries) >= 500
    assert len({query.kind for query in world.queries}) == 8
    assert len(world.copies) >= 150
    assert [query.grades for query in World().queries] == [query.grades for query in world.queries]


def test_originals_come_first(judged: tuple[Judgement, Judgement]) -> None:
    for judgement in judged:
        assert judgement.queries >= 500
        assert judgement.mean >= MARK, judgement.by_kind


def test_no_copy_stands_above_its_original_before_and_after_a_claim(judged: tuple[Judgement, Judgement]) -> None:
    for judgement in judged:
        assert judgement.copies_seen > 100
        assert judgement.copies_above == []


def test_every_copy_and_nothing_else_is_marked_as_a_copy(judged: tuple[Judgement, Judgement]) -> None:
    for judgement in judged:
        assert judgement.misjudged == set()


def test_ndcg_of_known_orders() -> None:
    assert ndcg([3, 2, 1, 0], [3, 2, 1]) == 1
    assert ndcg([0, 3], [3]) == pytest.approx(0.6309, abs=1e-4)
    assert ndcg([2, 3], [3, 2]) == pytest.approx((3 + 7 / 1.58496) / (7 + 3 / 1.58496), abs=1e-4)
    assert ndcg([], [1]) == 0
    assert ndcg([0] * 10 + [3], [3]) == 0
    with pytest.raises(ValueError, match="relevant"):
        ndcg([1], [])
