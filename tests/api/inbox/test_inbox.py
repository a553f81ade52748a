"""Messages of an account: read, counted, marked, and nobody else's."""

from uuid import UUID

from tests.fixtures.community import Community, Member


def deliver(community: Community, *members: Member, title: str = "Title") -> str:
    """Put a message into inboxes."""
    row = community.store.execute(
        "INSERT INTO inbox_message (kind, title, body, created_at) VALUES ('broadcast', %s, 'Text', now())"
        " RETURNING id",
        (title,),
    ).fetchone()
    assert row is not None
    for member in members:
        community.store.execute(
            "INSERT INTO inbox_entry (account_id, message_id)"
            " SELECT account_id, %s FROM account_wallet WHERE wallet = %s",
            (row["id"], member.address),
        )
    return str(row["id"])


async def test_messages_are_listed_counted_and_marked(community: Community) -> None:
    member, other = await community.member(), await community.member()
    ids = [deliver(community, member, other, title=f"Title {n}") for n in range(3)]
    page = await member.ok("GET", "/inbox?limit=2")
    assert ([one["id"] for one in page["messages"]], page["unread"]) == ([ids[2], ids[1]], 3)
    rest = await member.ok("GET", f"/inbox?limit=2&cursor={page['nextCursor']}")
    assert ([one["id"] for one in rest["messages"]], rest["nextCursor"]) == ([ids[0]], None)
    assert await member.ok("POST", "/inbox/read", {"ids": [ids[2]]}) == {"marked": 1, "unread": 2}
    assert await member.ok("POST", "/inbox/read", {"ids": [ids[2]]}) == {"marked": 0, "unread": 2}
    assert [one["id"] for one in (await member.ok("GET", "/inbox?unread=true"))["messages"]] == [ids[1], ids[0]]
    assert await member.ok("POST", "/inbox/read", {"through": ids[1]}) == {"marked": 2, "unread": 0}
    assert (await other.ok("GET", "/inbox"))["unread"] == 3


async def test_other_peoples_messages_stay_as_they_are(community: Community) -> None:
    member, other = await community.member(), await community.member()
    id = deliver(community, other)
    assert (await member.ok("GET", "/inbox"))["messages"] == []
    assert await member.ok("POST", "/inbox/read", {"ids": [id], "through": str(UUID(int=2**128 - 1))}) == {
        "marked": 0,
        "unread": 0,
    }
    assert (await other.ok("GET", "/inbox"))["unread"] == 1
    for body in ({}, {"ids": ["x"]}, {"through": "x"}):
        assert (await member.ask("POST", "/inbox/read", body)).status_code == 400
