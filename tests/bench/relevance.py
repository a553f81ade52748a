"""How well search ranks a made world whose truth is known, through facts, pipelines and the API."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from tests.bench.directories import new_directory
from tests.bench.result import Result
from tests.relevance.generator import World
from tests.relevance.judging import Judgement, api, judge
from tests.relevance.planting import Planter, chains_file
from warehouse import engines, postgres
from warehouse.clickhouse import Warehouse
from warehouse.settings import EngineSettings

MARK = ">= 0.95"


def measure(directory: Path, progress: Callable[[str], None]) -> list[Result]:
    """Plant the world, judge all queries, let every other owner claim, and judge them again."""
    data_dir = new_directory(directory, "relevance")
    world = World()
    settings = EngineSettings(data_dir=data_dir, clickhouse_url=None, database_url=None)
    with engines.ensure(settings) as urls:
        chains = chains_file(data_dir / "chains.toml")
        with (
            Warehouse.connect(urls.clickhouse_url) as warehouse,
            postgres.connect(urls.database_url, autocommit=True) as store,
        ):
            planter = Planter(warehouse, store, chains)

            async def ask() -> Judgement:
                async with api(urls, data_dir, planter, chains) as client:
                    return await judge(client, world)

            planter.plant(world)
            progress(f"planted {sum(len(family.tokens) for family in world.families)} tokens")
            before = asyncio.run(ask())
            planter.claim(world.claims())
            after = asyncio.run(ask())
    for kind, mean in before.by_kind.items():
        progress(f"{kind}: {mean:.3f}, after claims {after.by_kind[kind]:.3f}")
    return [
        Result(f"relevance: NDCG@10 over {before.queries} queries", before.mean, "ratio", MARK),
        Result("relevance: NDCG@10 after every other owner claimed", after.mean, "ratio", MARK),
        Result("relevance: copies above their original, before claims", len(before.copies_above), "results", "== 0"),
        Result("relevance: copies above their original, after claims", len(after.copies_above), "results", "== 0"),
        Result(
            "relevance: unmarked copies, and tokens wrongly marked",
            len(before.misjudged | after.misjudged),
            "tokens",
            "== 0",
        ),
    ]
