"""What recipients held afterwards, next to who was held out."""

from datetime import timedelta
from typing import Any

from tests.factories.holdings import BLOCK
from tests.fixtures.broadcasts import PATH, Broadcasts
from tests.fixtures.community import Community


def publish_days(community: Community, days: int) -> None:
    """A block for each day from today on, the last one published."""
    today = community.clock.now().date()
    rows = ", ".join(f"(8453, {BLOCK + ago}, '{today + timedelta(days=ago)} 12:00:00', 1)" for ago in range(days + 1))
    community.warehouse.command(f"INSERT INTO raw_block (chain_id, block_number, block_time, unit_id) VALUES {rows}")
    community.warehouse.command(
        "INSERT INTO chain_publication (chain_id, generation, next_block, next_unit)"
        f" SELECT 8453, {days + 1}, {BLOCK + days + 1}, 1"
    )


async def effect(broadcasts: Broadcasts, id: str) -> list[dict[str, Any]]:
    answer = await broadcasts.community.owner.ok("GET", f"{PATH}/messages/{id}/effect")
    assert answer["asOfBlock"] == BLOCK
    after: list[dict[str, Any]] = answer["after"]
    return after


async def test_changes_are_counted_for_both_groups_when_their_day_is_over(broadcasts: Broadcasts) -> None:
    community = broadcasts.community
    broadcasts.crowd(160)
    wallets = [f"0x{n:040x}" for n in range(1, 161)]
    community.hold(*((wallet, 3, 100) for wallet in wallets[:150]))
    sent = await broadcasts.send(holdoutPercent=50)
    rows = community.store.execute("SELECT wallet, held_out FROM broadcast_recipient ORDER BY position").fetchall()
    reached = [row["wallet"] for row in rows if not row["held_out"] and row["wallet"] in wallets[:150]]
    kept = [row["wallet"] for row in rows if row["held_out"] and row["wallet"] in wallets[:150]]
    empty = [sum(row["held_out"] is held for row in rows if row["wallet"] in wallets[150:]) for held in (False, True)]
    assert min(len(reached), len(kept)) > 40

    publish_days(community, 1)
    assert [one["asOfBlock"] for one in await effect(broadcasts, sent["id"])] == [None, None, None], "not over yet"
    # The day after the sending 20 recipients buy and 5 sell half; of the held out 3 sell all. Later one buys back.
    community.hold(*((one, -1, 7) for one in reached[:20]), *((one, -1, -50) for one in reached[20:25]))
    community.hold(*((one, -1, -100) for one in kept[:3]), (kept[0], -5, 100), (reached[0], -8, 1))
    publish_days(community, 8)
    first, week, month = await effect(broadcasts, sent["id"])
    assert (first["days"], first["asOfBlock"], week["asOfBlock"], month["asOfBlock"]) == (1, BLOCK + 1, BLOCK + 7, None)
    assert counts(first["recipients"]) == {
        "accounts": len(reached) + empty[0],
        "more": 20,
        "same": len(reached) - 25 + empty[0],
        "less": 5,
        "nothing": 0,
    }
    assert counts(first["heldOut"]) == {
        "accounts": len(kept) + empty[1],
        "more": 0,
        "same": len(kept) - 3 + empty[1],
        "less": 0,
        "nothing": 3,
    }
    assert counts(week["heldOut"])["nothing"] == 2
    assert week["recipients"] == first["recipients"], "what comes after the day's end does not count"
    more = first["difference"]["more"]
    assert more["low"] > 0, "more of them bought"
    nothing = first["difference"]["nothing"]
    assert nothing["low"] < nothing["estimate"] < 0


async def test_of_few_there_are_counts_and_no_shares(broadcasts: Broadcasts) -> None:
    community = broadcasts.community
    holder = await community.holder()
    await holder.subscribe()
    sent = await broadcasts.send()
    community.hold((holder.address, 0, 5))
    publish_days(community, 2)
    first = (await effect(broadcasts, sent["id"]))[0]
    assert (counts(first["recipients"])["more"], first["recipients"]["moreShare"]) == (1, None)
    assert counts(first["heldOut"])["accounts"] == 0
    assert first["difference"] == {"more": None, "less": None, "nothing": None}


async def test_only_managers_see_it_and_before_the_sending_there_is_none(broadcasts: Broadcasts) -> None:
    community = broadcasts.community
    id = (await broadcasts.post()).json()["id"]
    path = f"{PATH}/messages/{id}/effect"
    assert (await (await community.member()).ask("GET", path)).status_code == 403
    answer = await community.owner.ok("GET", path)
    assert (answer["asOfBlock"], answer["sentAt"]) == (None, None)
    assert {one["recipients"] for one in answer["after"]} == {None}
    assert (await community.owner.ask("GET", path.replace(id, id[::-1]))).status_code in (400, 404)


def counts(group: dict[str, Any]) -> dict[str, int]:
    return {name: value for name, value in group.items() if isinstance(value, int)}
