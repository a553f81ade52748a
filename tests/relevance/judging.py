"""Sends the world's queries to the API and judges the answers by what was planted."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean

import httpx

from api.accounts.service import Accounts
from api.app import create_app
from api.settings import ApiSettings
from tests.relevance.generator import Query, World, key
from tests.relevance.ndcg import ndcg
from tests.relevance.planting import Planter
from warehouse.engines import EngineUrls

WALLET = "0x00000000000000000000000000000000000ca11e"
AT_A_TIME = 4
Place = tuple[int, str]


@dataclass(frozen=True, slots=True)
class At:
    """A clock that always shows one moment."""

    moment: datetime

    def now(self) -> datetime:
        """The moment."""
        return self.moment


@dataclass(slots=True)
class Judgement:
    """Scores of the answers."""

    scores: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    copies_above: list[str] = field(default_factory=list)
    misjudged: set[str] = field(default_factory=set)
    copies_seen: int = 0

    @property
    def queries(self) -> int:
        """Number of queries."""
        return sum(len(scores) for scores in self.scores.values())

    @property
    def mean(self) -> float:
        """NDCG@10 over all queries."""
        return fmean(score for scores in self.scores.values() for score in scores)

    @property
    def by_kind(self) -> dict[str, float]:
        """NDCG@10 of each kind of query."""
        return {kind: fmean(scores) for kind, scores in self.scores.items()}


@asynccontextmanager
async def api(urls: EngineUrls, data_dir: Path, planter: Planter, chains: Path) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the API over the planted world, at the moment of its last block."""
    settings = ApiSettings(
        data_dir=data_dir,
        clickhouse_url=urls.clickhouse_url,
        database_url=urls.database_url,
        chains=chains,
        limits_backend="none",  # all queries are sent at the same time of the fixed clock
    )
    last = max(ledger.time for ledger in planter.ledgers.values())
    app = create_app(settings, clock=At(datetime.fromtimestamp(last + 60, UTC)))
    headers = {"X-API-Key": Accounts(urls.database_url).create_key(WALLET, "free").key}
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://service.test/api/v2", headers=headers
        ) as client,
    ):
        yield client


async def judge(client: httpx.AsyncClient, world: World) -> Judgement:
    """Ask the world's queries and judge the answers."""
    judgement = Judgement()
    waiting = iter(world.queries)

    async def work() -> None:
        for query in waiting:
            rows = await ask(client, query)
            _judge(judgement, world, query, rows)

    await asyncio.gather(*(work() for _ in range(AT_A_TIME)))
    return judgement


async def ask(client: httpx.AsyncClient, query: Query) -> list[tuple[Place, bool]]:
    """The tokens of one answer in order, each with whether it is marked as a copy. Leaves out chains where the symbol
    is available."""
    if query.kind == "address" and query.token is not None:
        path = f"/token/{query.symbol}/{query.chain}"
        answer = await client.get(path, params={"tokenAddress": f"0x{query.token.address}"})
        results = [answer.json()] if answer.status_code == 200 else []
    else:
        parameters = {"symbol": query.symbol, "pageSize": "100", **({"chain": query.chain} if query.chain else {})}
        answer = await client.get("/search", params=parameters)
        answer.raise_for_status()
        results = answer.json()["results"]
    return [
        ((row["chainId"], row["token"]["address"].lower().removeprefix("0x")), row["token"]["isCopy"])
        for row in results
        if row["token"]["address"] is not None
    ]


def _judge(judgement: Judgement, world: World, query: Query, rows: Sequence[tuple[Place, bool]]) -> None:
    ranked = [query.grades.get(place, 0) for place, _ in rows]
    judgement.scores[query.kind].append(ndcg(ranked, list(query.grades.values())))
    at = {place: position for position, (place, _) in enumerate(rows)}
    for place, is_copy in rows:
        original = world.copies.get(place)
        judgement.copies_seen += original is not None
        if is_copy != (original is not None):
            judgement.misjudged.add(f"{place}: called {'a copy' if is_copy else 'no copy'}")
        if original is not None and query.kind != "address" and at.get(key(original), len(rows)) > at[place]:
            judgement.copies_above.append(f"{query.kind} {query.symbol}: {place} above {key(original)}")
