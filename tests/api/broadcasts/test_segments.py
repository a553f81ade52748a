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
