"""Keys that may be used from some networks only, behind proxies and under attack."""

import pytest

from api.http.errors import InvalidInput
from api.keys.rules import MAX_NETWORKS, read_networks
from tests.fixtures.owners import Owner, ServeOwner
from warehouse.postgres import Connection

PROXIES = "127.0.0.0/8, 10.0.0.0/8"
"""The test's client is 127.0.0.1."""


@pytest.mark.parametrize(
    ("texts", "networks"),
    [
        (None, None),
        (["203.0.113.9"], ["203.0.113.9/32"]),
        (["2001:db8::/32", "203.0.113.0/24", "203.0.113.0/24"], ["203.0.113.0/24", "2001:db8::/32"]),
        (["0.0.0.0/0", " ::/0 "], ["0.0.0.0/0", "::/0"]),
    ],
)
def test_networks_are_read_once_each_and_in_order(texts: list[str] | None, networks: list[str] | None) -> None:
    found = read_networks(texts)
    assert (None if found is None else [str(network) for network in found]) == networks


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("203.0.113.9/24", "has bits beyond its prefix; write 203.0.113.0/24"),
        ("203.0.113.0/33", "must be an IPv4 or IPv6 network"),
        ("example.com", "must be an IPv4 or IPv6 network"),
        ("203.0.113", "must be an IPv4 or IPv6 network"),
        ("", "must be an IPv4 or IPv6 network"),
        ("::ffff:203.0.113.0/120", "must be written as IPv4"),
        ("fe80::1%eth0", "must be an IPv4 or IPv6 network"),
    ],
)
def test_other_networks_are_refused_by_field(text: str, problem: str) -> None:
    with pytest.raises(InvalidInput, match=rf"^allowedAddresses\[1\]: {problem}"):
        read_networks(["203.0.113.0/24", text])


async def test_a_key_works_from_its_networks_only(serve_owner: ServeOwner) -> None:
    async with serve_owner(trusted_proxies=PROXIES) as owner:
        made = await owner.made(allowedAddresses=["198.51.100.0/24", "2001:db8:1::/48"])
        assert made["allowedAddresses"] == ["198.51.100.0/24", "2001:db8:1::/48"]
        for client, status in (
            ("198.51.100.7", 200),
            ("198.51.100.7:4711", 200),
            ("::ffff:198.51.100.7", 200),
            ("[2001:db8:1:2::9]:443", 200),
            ("198.51.101.7", 403),
            ("2001:db8:2::9", 403),
            ("::198.51.100.7", 403),
        ):
            assert await owner.use(made["key"], X_Forwarded_For=client) == status, client
        refused = await owner.call(made["key"], X_Forwarded_For="203.0.113.9")
        assert refused.json() == {
            "error": "the API key may not be used from 203.0.113.9",
            "code": "ADDRESS_NOT_ALLOWED",
        }


@pytest.mark.parametrize(
    "forwarded",
    [
        "198.51.100.7, 203.0.113.9",  # the client writes an allowed address, its proxy appends the client's
        "198.51.100.7, 203.0.113.9, 10.1.2.3",  # through two proxies
        "198.51.100.7,,203.0.113.9",
        "198.51.100.7, nonsense",
        "198.51.100.7 203.0.113.9",
        "",
    ],
)
async def test_a_client_cannot_claim_an_allowed_address(serve_owner: ServeOwner, forwarded: str) -> None:
    async with serve_owner(trusted_proxies=PROXIES) as owner:
        made = await owner.made(allowedAddresses=["198.51.100.7"])
        assert await owner.use(made["key"], X_Forwarded_For=forwarded) == 403


async def test_without_trusted_proxies_headers_say_nothing(owner: Owner) -> None:
    made = await owner.made(allowedAddresses=["198.51.100.7"])
    for header in ("X-Forwarded-For", "Forwarded", "X-Real-IP", "True-Client-IP", "CF-Connecting-IP"):
        answer = await owner.service.anonymous.get(
            "/api/v2/config/fees", headers={"X-API-Key": made["key"], header: "198.51.100.7"}
        )
        assert answer.json()["error"] == "the API key may not be used from 127.0.0.1", header
    assert (
        await owner.ask("PATCH", f"/keys/{made['id']}", json={"allowedAddresses": ["127.0.0.1"]})
    ).status_code == 200
    assert await owner.use(made["key"]) == 200


async def test_a_thief_uses_up_nothing_of_the_owner(serve_owner: ServeOwner, store: Connection) -> None:
    """Requests from elsewhere are counted for the thief's address, not for the key, and are not its last use."""
    async with serve_owner(trusted_proxies=PROXIES) as owner:
        made = await owner.made(allowedAddresses=["198.51.100.7"])
        sent = [await owner.use(made["key"], X_Forwarded_For="203.0.113.9") for _ in range(70)]
        assert sent == [403] * 60 + [429] * 10
        await owner.service.services.api_keys.note_uses()
        assert store.execute("SELECT last_used_at FROM api_key WHERE id = %s", (made["id"],)).fetchone() == {
            "last_used_at": None
        }
        answer = await owner.call(made["key"], X_Forwarded_For="198.51.100.7")
        assert (answer.status_code, answer.headers["x-ratelimit-remaining"]) == (200, "9999")


async def test_a_client_without_an_address_has_no_allowed_one(owner: Owner) -> None:
    made = await owner.made(allowedAddresses=["0.0.0.0/0", "::/0"])
    caller = await owner.service.services.api_keys.find(made["key"])
    assert caller is not None
    assert not caller.is_allowed_from(None)


async def test_a_key_has_a_limited_number_of_networks(owner: Owner) -> None:
    networks = [f"10.0.{number}.0/24" for number in range(MAX_NETWORKS + 1)]
    refused = await owner.make(allowedAddresses=networks)
    assert (refused.status_code, refused.json()["error"].split(":")[0]) == (400, "allowedAddresses")
    assert (await owner.make(allowedAddresses=networks[:-1])).status_code == 201
    assert (await owner.make(allowedAddresses=[])).status_code == 400
