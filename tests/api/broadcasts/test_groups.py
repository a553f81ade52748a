"""Holder groups: which tiers of a document are some, and who belongs to them."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from api.broadcasts.groups import HolderGroup, groups_of
from api.broadcasts.segments import Holding
from tests.factories.holdings import TOKEN
from tests.factories.registrations import add_token
from tests.fixtures.broadcasts import PATH, Broadcasts
from tests.fixtures.community import Member
from warehouse.postgres import Jsonb


def holding(balance_raw: int, rank: int = 1) -> Holding:
    return Holding(balance_raw, False, False, False, rank)


def test_a_tier_with_conditions_is_a_group() -> None:
    tiers = [
        {"id": "gold", "name": "Gold", "minBalance": "1.50"},
        {"id": "inner", "minSharePercent": "0.5", "maxRank": 50},
        {"id": "gold", "minBalance": 1},
    ]
    found = groups_of(tiers, 2)
    assert found == {"gold": HolderGroup("gold", 150), "inner": HolderGroup("inner", 1, 500_000, 50)}
    gold, inner = found["gold"], found["inner"]
    assert [gold.has(holding(raw), 1000) for raw in (149, 150)] == [False, True]
    assert [inner.has(holding(raw), 1000) for raw in (4, 5)] == [False, True], "half a percent of 1,000"
    assert [inner.has(holding(5, rank), 1000) for rank in (50, 51)] == [True, False]


@pytest.mark.parametrize(
    "tier",
    [
        {"id": "x"},
        {"minBalance": "1"},
        {"id": "", "minBalance": "1"},
        {"id": "a b", "minBalance": "1"},
        {"id": 7, "minBalance": "1"},
        {"id": "x" * 65, "minBalance": "1"},
        {"id": "x", "minBalance": "0"},
        {"id": "x", "minBalance": "-1"},
        {"id": "x", "minBalance": "1e9"},
        {"id": "x", "minBalance": "1.001"},
        {"id": "x", "minBalance": 1.5},
        {"id": "x", "minBalance": True},
        {"id": "x", "minBalance": "9" * 5000},
        {"id": "x", "minBalance": "\u0661"},
        {"id": "x", "minSharePercent": "100.01"},
        {"id": "x", "minSharePercent": "0.0000001"},
        {"id": "x", "maxRank": "1.5"},
        {"id": "x", "maxRank": 10**18},
        {"id": "x", "minBalance": "1", "maxRank": []},
        [],
        "x",
    ],
)
def test_a_tier_that_cannot_be_read_is_none(tier: Any) -> None:
    assert groups_of([tier], 2) == {}


@pytest.mark.parametrize("tiers", [None, {}, "gold", 7, [None]])
def test_documents_may_have_anything_in_place_of_tiers(tiers: object) -> None:
    assert groups_of(tiers, 18) == {}


def test_without_decimals_no_group_asks_for_a_balance() -> None:
    assert set(groups_of([{"id": "a", "minBalance": "1"}, {"id": "b", "maxRank": 3}], None)) == {"b"}


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 2**256), st.integers(0, 10**8), st.none() | st.integers(1, 10**9))
def test_the_store_keeps_a_group_as_it_is(least_raw: int, least_share_e8: int, most_rank: int | None) -> None:
    group = HolderGroup("gold", least_raw, least_share_e8, most_rank)
    assert HolderGroup.of_stored(group.stored) == group
    assert not group.has(holding(0, 0), 10**30), "who holds nothing belongs to none"


def declare(broadcasts: Broadcasts, *tiers: dict[str, Any]) -> None:
    broadcasts.community.store.execute("UPDATE registration SET metadata = %s", (Jsonb({"tiers": tiers}),))


async def wallets(broadcasts: Broadcasts, id: str) -> list[str]:
    results = (await broadcasts.community.owner.ok("GET", f"{PATH}/messages/{id}/recipients"))["results"]
    return [one["wallet"].lower() for one in results]


async def test_a_broadcast_for_groups_reaches_their_members(broadcasts: Broadcasts) -> None:
    community = broadcasts.community
    add_token(community.store, "PEPE", address=TOKEN, decimals=1)
    members: list[Member] = [await community.holder(amount=amount) for amount in (500, 300, 199, 1)]
    for member in members:
        await member.subscribe()
    declare(broadcasts, {"id": "gold", "minBalance": "30"}, {"id": "last", "maxRank": 4, "minSharePercent": "19.9"})
    owner = community.owner
    counts = [
        (await owner.ok("POST", f"{PATH}/preview", {"tierIds": ids, **more}))["recipientCount"]
        for ids, more in ((["gold"], {}), (["last"], {}), (["gold"], {"segments": ["churned"]}))
    ]
    assert counts == [2, 3, 0]
    sent = await broadcasts.send(tierIds=["gold"])
    assert await wallets(broadcasts, sent["id"]) == [members[0].address, members[1].address]
    assert (await broadcasts.report(sent["id"]))["tierIds"] == ["gold"]


async def test_conditions_are_those_that_were_accepted_and_balances_those_of_the_sending(
    broadcasts: Broadcasts,
) -> None:
    community = broadcasts.community
    add_token(community.store, "PEPE", address=TOKEN, decimals=0)
    leaves, joins = await community.holder(amount=100), await community.holder(amount=10)
    for member in (leaves, joins):
        await member.subscribe()
    declare(broadcasts, {"id": "gold", "minBalance": 50})
    accepted = (await broadcasts.post(tierIds=["gold"])).json()
    declare(broadcasts, {"id": "gold", "minBalance": 1})
    community.hold((leaves.address, 0, -90), (joins.address, 0, 60))
    await broadcasts.engine.run_until_idle()
    assert await wallets(broadcasts, accepted["id"]) == [joins.address]
