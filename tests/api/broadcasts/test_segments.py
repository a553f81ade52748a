"""Segments are sets of wallets by what the warehouse says they hold and held."""

from api.broadcasts.segments import Segment, read_holdings
from tests.factories.holdings import BLOCK, TOKEN
from tests.fixtures.broadcasts import PATH, Broadcasts


async def test_each_segment_has_exactly_its_wallets(broadcasts: Broadcasts) -> None:
    community = broadcasts.community
    histories = {
        "whale": [(40, 10_000)],
        "new": [(6, 70)],
        "old": [(7, 60)],
        "left": [(40, 50), (2, -50)],
        "halved": [(40, 50), (2, -25)],
        "reduced": [(40, 50), (2, -24)],
        "long ago": [(60, 50), (31, -40)],
        "sold since": [(60, 50), (30, -40)],
        "back": [(40, 50), (20, -50), (3, 8)],
    }
    members = {name: await community.member() for name in histories}
    for name, changes in histories.items():
        community.hold(*((members[name].address, ago, amount) for ago, amount in changes))
    await broadcasts.community.owner.ok("GET", f"{PATH}/limits")
    wallets = [member.address for member in members.values()]
    services = community.service.services
    for named in (wallets, wallets + [f"0x{n:040x}" for n in range(1000)]):
        found = await read_holdings(services.warehouse, 8453, TOKEN, named, community.clock.now().date())
        assert found.as_of_block == BLOCK
        sets = {
            segment: {name for name, member in members.items() if found.selects(member.address, [segment])}
            for segment in Segment
        }
        assert sets[Segment.ALL] == set(histories)
        assert sets[Segment.NEW_7D] == {"new"}, "its first day is one of the last seven"
        assert sets[Segment.CHURNED] == {"left"}
        assert sets[Segment.REDUCED_50] == {"halved", "sold since", "back"}
        assert sets[Segment.WHALES] == {"whale"}
        assert sets[Segment.TOP_10] == set(histories) - {"left"}
    for member in members.values():
        await member.subscribe()
    preview = await community.owner.ok("POST", f"{PATH}/preview", {"segments": ["new_7d", "churned", "whales"]})
    assert preview == {"recipientCount": 3, "asOfBlock": BLOCK}
    assert (await community.owner.ok("POST", f"{PATH}/preview", {}))["recipientCount"] == 9
    sent = await broadcasts.send(segments=["churned", "whales"])
    results = (await community.owner.ok("GET", f"{PATH}/messages/{sent['id']}/recipients"))["results"]
    assert [one["wallet"] for one in results] == [members["whale"].wallet.address, members["left"].wallet.address]


async def test_the_top_is_counted_among_all_holders_not_subscribers(broadcasts: Broadcasts) -> None:
    community = broadcasts.community
    member = await community.holder(amount=5)
    await member.subscribe()
    community.hold(*((f"0x{n:040x}", 3, 10) for n in range(1, 25)))
    counts = [
        (await community.owner.ok("POST", f"{PATH}/preview", {"segments": [segment]}))["recipientCount"]
        for segment in ("top_10", "top_25")
    ]
    assert counts == [0, 1]


async def test_amounts_of_hostile_tokens_do_not_overflow(broadcasts: Broadcasts) -> None:
    community = broadcasts.community
    whale, shrimp = await community.member(), await community.member()
    community.hold((whale.address, 40, 2**254), (shrimp.address, 40, 2**250), (shrimp.address, 1, 1 - 2**250))
    for member in (whale, shrimp):
        await member.subscribe()
    for segment, count in (("whales", 1), ("reduced_50", 1), ("top_10", 2)):
        preview = await community.owner.ok("POST", f"{PATH}/preview", {"segments": [segment]})
        assert preview["recipientCount"] == count, segment


async def test_only_subscribers_of_a_token_with_many_holders_are_read(broadcasts: Broadcasts) -> None:
    community = broadcasts.community
    broadcasts.crowd(3_000)
    community.warehouse.command(
        "INSERT INTO agg_balance_day (chain_id, token, wallet, day, delta_raw)"
        f" SELECT 8453, unhex('{TOKEN[2:]}'), unhex(leftPad(hex(number + 1), 40, '0')), today() - 3, number + 1"
        " FROM numbers(100000)"
    )
    wallets = [f"0x{n:040x}" for n in range(1, 3_001)]
    warehouse = community.service.services.warehouse
    found = await read_holdings(warehouse, 8453, TOKEN, wallets, community.clock.now().date())
    assert set(found.by_wallet) == set(wallets)
    assert (found.of(wallets[0]).rank, found.held_raw) == (100_000, 100_000 * 100_001 // 2)
