"""Registered tokens with low scores."""

import asyncio
from typing import Any

import pytest

from tests.factories.registrations import ARBITRUM, BASE, add_registration, add_token, address, scored
from tests.fixtures.service import Service
from warehouse.postgres import Connection
from warehouse.store import Store


def given(store: Connection) -> None:
    """Seven registered tokens, and two that are not."""
    for number, (score, chain_id) in enumerate(
        [("61.99", BASE), ("62", BASE), ("69.99", BASE), ("70", BASE), ("0", BASE), ("50", ARBITRUM), ("65", ARBITRUM)],
        1,
    ):
        add_token(store, f"T{number}", address=address(number), chain_id=chain_id, **scored(score))
        add_registration(store, f"T{number}", token_id=number, token_address=address(number), chain_id=chain_id)
    add_token(store, "FREE", address=address(50), **scored("5"))
    add_token(store, "GONE", address=address(51), **scored("5"))
    add_registration(store, "GONE", token_id=51, token_address=address(51), expired_at="2026-01-01T00:00:00Z")


async def test_the_lowest_scores_come_first_with_their_level(service: Service, store: Connection) -> None:
    given(store)
    answer = (await service.get("/heartbeat/at-risk")).json()
    assert [(token["symbol"], token["level"], token["status"]) for token in answer["tokens"]] == [
        ("T5", "critical", "inactive"), ("T6", "critical", "inactive"), ("T1", "critical", "at_risk"),
        ("T2", "warning", "at_risk"), ("T7", "warning", "at_risk"), ("T3", "warning", "at_risk"),
    ]  # fmt: skip
    assert answer["levelCounts"] == {"critical": 3, "warning": 3}
    assert answer["pagination"] == {
        "total": 6, "returned": 6, "page": 1, "pageSize": 25, "totalPages": 1, "hasMore": False,
    }  # fmt: skip
    assert answer["tokens"][0]["components"] == {"timestamp": 0, "volume": 0, "holders": 0, "confidence": 0}


async def test_results_can_be_filtered_and_paged(service: Service, store: Connection) -> None:
    given(store)
    critical = (await service.get("/heartbeat/at-risk", level="critical", chain="arb")).json()
    assert [token["symbol"] for token in critical["tokens"]] == ["T6"]
    assert critical["levelCounts"] == {"critical": 1, "warning": 1}
    warning = (await service.get("/heartbeat/at-risk", level="warning", pageSize=2, page=2)).json()
    assert [token["symbol"] for token in warning["tokens"]] == ["T3"]
    assert (warning["pagination"]["total"], warning["pagination"]["hasMore"]) == (3, False)


async def test_nothing_at_risk_is_an_empty_list(service: Service) -> None:
    answer = (await service.get("/heartbeat/at-risk")).json()
    assert (answer["tokens"], answer["levelCounts"]) == ([], {"critical": 0, "warning": 0})


async def test_repeated_reads_within_seconds_do_not_query_the_store(
    service: Service, store: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    given(store)
    asked: list[str] = []
    rows: Any = Store.rows

    async def noted(store: Store, statement: str, *arguments: Any, **options: Any) -> list[Any]:
        if statement.endswith("_at_risk"):  # a starting process also warms its caches
            asked.append(statement.removeprefix("heartbeats/"))
        found: list[Any] = await rows(store, statement, *arguments, **options)
        return found

    monkeypatch.setattr(Store, "rows", noted)
    answers = await asyncio.gather(*(service.get("/heartbeat/at-risk") for _ in range(5)))
    assert len({answer.content for answer in answers}) == 1
    assert sorted(asked) == ["count_at_risk", "list_at_risk"]
    # Each chain, level and page is cached apart; levels and pages of a chain share their counts.
    assert (await service.get("/heartbeat/at-risk", chain="arb")).content != answers[0].content
    assert (await service.get("/heartbeat/at-risk", level="warning")).json()["pagination"]["total"] == 3
    assert (asked.count("list_at_risk"), asked.count("count_at_risk")) == (3, 2)
    memory = service.services.at_risk
    memory.counts.clear()
    memory.pages.clear()
    store.execute("UPDATE indexed_token SET score = 90")
    assert (await service.get("/heartbeat/at-risk")).json()["tokens"] == []
