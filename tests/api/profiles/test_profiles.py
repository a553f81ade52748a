"""Who may change a profile, its valid fields, and the effects of a change."""

import asyncio
import json
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from api.history.schemas import HistoryEntry
from api.http.conditional import prepare
from api.profiles.service import FIELDS
from api.public.examples import COIN
from tests.factories.registrations import BASE
from tests.fixtures.examples import contains_example
from tests.fixtures.pages import Owners
from tests.fixtures.sign_in import new_wallet
from warehouse import sql
from warehouse.postgres import Connection

CID = "bafkreihe4hlilmerevb4o5g7xhoe35r4vdjmmtiwwkryhdnjdznkucwkbi"
EVERYTHING: dict[str, Any] = {
    "name": "Pepe 🐸", "displayName": "The Pepe", "description": "One.\nTwo.", "avatarUrl": f"ipfs://{CID}/a.png",
    "logoUrl": "https://cdn.pepe.example:8443/logo.png?v=2", "bannerUrl": f"ipfs://{CID}",
    "website": "https://xn--pp-cja.example/%20#top", "twitter": "@pepe", "telegram": "https://t.me/+AbCdEfGh1",
    "discord": "https://discord.gg/pepe", "nsfw": True,
}  # fmt: skip


def recorded(store: Connection) -> list[list[str]]:
    """The fields of the profile events so far, which are links of the history too."""
    rows = store.execute(
        "SELECT payload FROM event_log WHERE type = 'profile.updated' AND chain_id = %s AND token_id = 7 ORDER BY id",
        (BASE,),
    ).fetchall()
    links = store.execute("SELECT data FROM registration_history ORDER BY sequence").fetchall()
    assert [row["data"] for row in links] == [row["payload"] for row in rows]
    crown = {"crown_id": "7", "symbol": "PEPE", "chain": f"eip155:{BASE}"}
    assert all(contains_example(row["payload"], crown) for row in rows)
    return [row["payload"]["updated_fields"] for row in rows]


async def test_the_owner_changes_the_sent_fields_in_every_read(owners: Owners) -> None:
    page, store = await owners.page(), owners.store
    document = {"name": "Frog", "website": "https://frog.example", "discord": ["x"], "tiers": [{}]}
    store.execute("UPDATE registration SET metadata = %s", (Jsonb(document),))
    first = await page.ask_json("GET", "/profile")
    assert (first["name"], first["discord"], first["nsfw"], first["setHere"]) == ("Frog", None, False, [])
    await page.public("/coins/base/PEPE/apps")
    page.service.services.public_reads._pages.cache.put(("coin", "base", "PEPE"), prepare(json.dumps(COIN).encode()))
    assert (await page.service.anonymous.get("/api/v2/public/coins/base/PEPE")).status_code == 200

    made = await page.ask_json("PUT", "/profile", EVERYTHING)
    assert set(EVERYTHING) == set(FIELDS)
    assert (contains_example(made, EVERYTHING), made["updatedFields"], made["setHere"]) == (
        True,
        list(FIELDS),
        sorted(FIELDS),
    )
    anew = await page.service.anonymous.get("/api/v2/public/coins/base/PEPE")
    assert anew.status_code == 503, "what this process had at hand is not shown; nothing is indexed here"
    record = (await page.service.get("/registration/7", chain="base")).json()
    assert record["identity"] == {"displayName": "The Pepe", "avatarUrl": EVERYTHING["avatarUrl"]}
    assert record["tierCount"] == 1
    assert recorded(store) == [list(FIELDS)]

    for body in (EVERYTHING, {}, {"name": "  Pepe 🐸 "}, {"nsfw": True}):
        assert (await page.ask_json("PUT", "/profile", body))["updatedFields"] == []
    cleared = await page.ask_json("PUT", "/profile", {"website": None, "nsfw": None, "displayName": None})
    assert (cleared["website"], cleared["nsfw"], cleared["twitter"]) == (None, False, "@pepe")
    assert cleared["updatedFields"] == ["displayName", "website", "nsfw"]
    status = (await page.service.get("/registration/PEPE/base")).json()
    assert "website" not in status["metadata"], "cleared, whatever the document says"
    assert (await page.service.get("/registration/7", chain="base")).json()["identity"]["displayName"] == "Pepe 🐸"
    assert recorded(store) == [list(FIELDS), ["displayName", "website", "nsfw"]]
    history = (await page.service.get("/registration/7/history", chain="base")).json()
    assert [HistoryEntry.model_validate(entry).type for entry in history["entries"]] == ["profile.updated"] * 2


async def test_only_owner_and_managers_may_change_a_profile(owners: Owners) -> None:
    manager = new_wallet()
    page = await owners.page(managers=["0x" + "12" * 20, manager.address.lower()], maintainers=[])
    by_manager = await owners.page_for(7, manager)
    stranger = await owners.page_for(7)
    reader = await owners.page_for(7, manager, scopes=["api:read"])
    assert (await by_manager.ask_json("PUT", "/profile", {"name": "Theirs"}))["name"] == "Theirs"
    assert (await reader.ask_json("GET", "/profile"))["name"] == "Theirs"

    route, body = "/api/v2/registration/7/profile", {"name": "No"}
    with_key = await page.service.client.put(route, params={"chain": "base"}, json=body)
    bearer = {"Authorization": f"Bearer {page.bearer}"}
    answers = (
        (await stranger.ask("PUT", "/profile", body), 403, "FORBIDDEN"),
        (await stranger.ask("GET", "/profile"), 403, "FORBIDDEN"),
        (await reader.ask("PUT", "/profile", body), 403, "FORBIDDEN"),
        (with_key, 401, "UNAUTHORIZED"),
        (await page.service.anonymous.put(route, json=body, headers=bearer), 400, "INVALID_REQUEST"),
        (await page.ask("PUT", "/profile", body, chain="arbitrum"), 404, "NOT_FOUND"),
        (await page.ask("PUT", "/profile", body, chain="nowhere"), 400, "INVALID_REQUEST"),
        (await (await owners.page_for(99)).ask("PUT", "/profile", body), 404, "NOT_FOUND"),
    )
    for answer, status, code in answers:
        assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text
    owners.store.execute("UPDATE registration SET managers = '{}'")
    assert (await by_manager.ask("PUT", "/profile", body)).status_code == 403
    owners.store.execute("UPDATE registration SET released_at = now()")
    assert (await page.ask("PUT", "/profile", body)).status_code == 404
    assert recorded(owners.store) == [["name"]]


async def test_invalid_profile_fields_are_refused_by_name(owners: Owners) -> None:
    page = await owners.page()
    link = "https://pepe.example/"
    bad: dict[str, list[Any]] = {
        "name": ["", "  ", "x" * 101, 5, "a\u0000b", "a\u202eb", "two\nlines", ["Pepe"]],
        "description": ["x" * 5_001, "bell\u0007", {"en": "Pepe"}],
        "website": [
            "http://pepe.example", "pepe.example", "https://", "https://localhost/", "https://127.0.0.1/", "ipfs://x",
            "https://user@pepe.example", "https://pepe.example:0", "javascript:alert(1)", "https://pepe.example/a b",
            "https://pepe.example/%zz", "https://pépé.example", "https://-a.example", link + "x" * 2_048,
        ],
        "logoUrl": [f"http://{CID}.example", "ipfs://notacid", "data:image/png;base64,AA", "https://pepe.example/\"'>"],
        "avatarUrl": ["ipfs://"],
        "bannerUrl": ["//pepe.example/x"],
        "twitter": ["two words", "@" + "x" * 16, "https://pepe.example/pepe", "http://x.com/pepe"],
        "telegram": ["@abc", "https://t.me.example/pepe", "https://t.me/"],
        "discord": ["https://discord.gg/", "#channel"],
        "nsfw": ["true", 1],
        "tiers": [[]],
        "display_name": ["Pepe"],
        "owner": [None],
    }  # fmt: skip
    for field, values in bad.items():
        for value in values:
            refused = await page.ask("PUT", "/profile", {"description": "good", field: value})
            assert refused.status_code == 400, (field, value)
            assert refused.json()["error"].startswith(f"{field}: "), refused.text
    headers = {"Authorization": f"Bearer {page.bearer}", "Content-Type": "application/json"}
    for content in (b'{"name": "\\ud800"}', b"[]", b"null", b'{"name"', b""):
        route = "/api/v2/registration/7/profile?chain=base"
        raw = await page.service.anonymous.put(route, content=content, headers=headers)
        assert raw.status_code == 400, content
    assert (recorded(owners.store), (await page.ask_json("GET", "/profile"))["setHere"]) == ([], [])


async def test_concurrent_changes_lose_no_field(owners: Owners) -> None:
    page = await owners.page()
    tag = (await page.ask("GET", "/profile")).headers["etag"]
    changes = [{name: value} for name, value in EVERYTHING.items()] * 2
    answers = await asyncio.gather(*(page.ask_json("PUT", "/profile", change) for change in changes))
    assert contains_example(await page.ask_json("GET", "/profile"), EVERYTHING)
    assert sorted(name for answer in answers for name in answer["updatedFields"]) == sorted(FIELDS)
    assert sorted(recorded(owners.store)) == sorted([name] for name in FIELDS)

    async def put(name: str, match: str) -> tuple[int, str | None]:
        answer = await page.service.anonymous.put(
            "/api/v2/registration/7/profile?chain=base",
            json={"name": name},
            headers={"Authorization": f"Bearer {page.bearer}", "If-Match": match},
        )
        return answer.status_code, answer.headers.get("etag")

    assert (await put("Old", tag))[0] == 412
    now = (await page.ask("GET", "/profile")).headers["etag"]
    assert (await put("Weak", f"W/{now}"))[0] == 412
    status, after = await put("New", f'"other", {now}')
    assert (status, after) == (200, (await page.ask("GET", "/profile")).headers["etag"])
    assert {(await put("A", str(after)))[0], (await put("B", str(after)))[0]} == {200, 412}
    assert (await put("Any", "*"))[0] == 200


@pytest.mark.parametrize(("transaction", "kept"), [("bb", True), ("cc", False)])
async def test_a_profile_stays_with_its_mint(owners: Owners, transaction: str, kept: bool) -> None:
    """A reorganisation moves the mint to another block, or gives the id to another mint."""
    page = await owners.page(is_final=False)
    await page.ask_json("PUT", "/profile", {"name": "Mine"})
    row = owners.store.execute(
        "SELECT to_jsonb(registration) - 'presented' - 'profile' AS row FROM registration"
    ).fetchone()
    assert row is not None
    moved = {**row["row"], "block_hash": "0x" + "ee" * 32, "transaction_hash": "0x" + transaction * 32}
    parameters = {"registrations": Jsonb([moved]), "from_receipt": False}
    owners.store.execute(sql.load("store/registrations/upsert").encode(), parameters)
    assert (await page.ask_json("GET", "/profile"))["name"] == ("Mine" if kept else None)
