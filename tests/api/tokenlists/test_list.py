"""The token list as clients read it."""

import asyncio
import gzip
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from eth_utils.address import to_checksum_address
from psycopg.types.json import Jsonb

from api.tokenlists.document import list_name
from tests.factories.registrations import ARBITRUM, BASE
from tests.factories.token_lists import add_listed, publish_and_read, publish_list
from tests.fixtures.service import Serve, Service
from warehouse.postgres import Connection

ROOT = Path(__file__).resolve().parents[3]
# Exits with the problems of every document on standard input that is no token list.
VALIDATE = """
import Ajv from 'ajv'; import formats from 'ajv-formats'; import { readFileSync } from 'fs';
const schema = JSON.parse(readFileSync('node_modules/@uniswap/token-lists/src/tokenlist.schema.json'));
const ajv = new Ajv({ allErrors: true, strict: false }); formats(ajv);
const valid = ajv.compile(schema);
const wrong = JSON.parse(readFileSync(0)).filter((list) => !valid(list)).map((list) => valid.errors);
console.log(JSON.stringify(wrong));
"""


def problems_of(lists: list[Any]) -> list[Any]:
    done = subprocess.run(
        ["node", "--input-type=module", "-e", VALIDATE],
        input=json.dumps(lists), capture_output=True, text=True, cwd=ROOT, check=True,
    )  # fmt: skip
    problems: list[Any] = json.loads(done.stdout)
    return problems


async def test_an_empty_list_is_version_one(service: Service) -> None:
    body = (await service.get("/tokenlist")).json()
    assert (body["name"], body["version"], body["tokens"]) == (
        "Regalia Tokens", {"major": 1, "minor": 0, "patch": 0}, [],
    )  # fmt: skip


async def test_a_token_has_the_form_of_the_schema(service: Service, store: Connection) -> None:
    place = add_listed(store, "PEPE", 7, profile=Jsonb({"logoUrl": "https://pepe.example/a.png"}))
    bare = add_listed(store, "WOJAK", 8, chain_id=ARBITRUM)
    await publish_and_read(store, service)
    body = (await service.get("/tokenlist")).json()
    assert set(body) == {"name", "timestamp", "version", "keywords", "tokens"}
    assert sorted(body["tokens"], key=lambda token: token["symbol"]) == [
        {"chainId": BASE, "address": to_checksum_address(place), "name": "Pepe", "symbol": "PEPE", "decimals": 18,
         "logoURI": "https://pepe.example/a.png", "extensions": {"crownId": 7}},
        {"chainId": ARBITRUM, "address": to_checksum_address(bare), "name": "Wojak", "symbol": "WOJAK", "decimals": 18,
         "extensions": {"crownId": 8}},
    ]  # fmt: skip


async def test_the_list_is_loaded_at_start(serve: Serve, store: Connection) -> None:
    add_listed(store, "PEPE", 7)
    publish_list(store)
    async with serve() as service, asyncio.timeout(60):
        while b'regalia_cache_entries{cache="token_list"} 1.0' not in service.services.metrics.text():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        store.execute("ALTER TABLE token_list_entry RENAME TO away")
        assert [one["symbol"] for one in (await service.get("/tokenlist")).json()["tokens"]] == ["PEPE"]


async def test_every_answer_with_tokens_is_valid_by_the_public_schema(service: Service, store: Connection) -> None:
    for number in range(1, 30):
        add_listed(store, f"S{number}", number, chain_id=(BASE, ARBITRUM)[number % 2], name=("ü\n" * number))
    await publish_and_read(store, service)
    queries = ({}, {"chainId": BASE}, {"symbol": ["s3", "S4"]}, {"chainId": BASE, "symbol": "s4"})
    lists = [(await service.get("/tokenlist", **query)).json() for query in queries]
    owner = "0x" + f"{0xA11CE:040x}"
    lists.append((await service.get(f"/tokenlist/address/{owner}")).json())
    assert [len(found["tokens"]) for found in lists] == [29, 14, 2, 1, 29]
    assert await asyncio.to_thread(problems_of, lists) == []


@pytest.mark.parametrize(
    ("name", "list_named"),
    [("Regalia", "Regalia Tokens"), ("Crown & Co.", "Crown Co Tokens"), ("A" * 40, "A" * 30), ("!", "Tokens")],
)
def test_the_lists_name_fits_the_schema(name: str, list_named: str) -> None:
    assert list_name(name) == list_named


async def test_a_filter_that_matches_nothing_returns_no_tokens(service: Service, store: Connection) -> None:
    add_listed(store, "PEPE", 1)
    await publish_and_read(store, service)
    for query in ({"chainId": 1}, {"symbol": "NONE"}, {"chainId": ARBITRUM, "symbol": "PEPE"}):
        answer = await service.get("/tokenlist", **query)
        assert (answer.status_code, answer.json()["tokens"]) == (200, [])


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("/tokenlist?chainId=base", "chainId"),
        ("/tokenlist?chainId=0", "chainId"),
        ("/tokenlist?symbol=A%20B", "symbol"),
        ("/tokenlist?version=1.0", "version"),
        ("/tokenlist/address/me", "address"),
        ("/tokenlist/versions?limit=0", "limit"),
        ("/tokenlist/diff", "from"),
        ("/tokenlist/diff?from=x", "from"),
        ("/tokenlist/lint/PEPE/nowhere", "chain"),
    ],
)
async def test_bad_input_is_named(service: Service, path: str, field: str) -> None:
    answer = await service.client.get(f"/api/v2{path}")
    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_REQUEST")
    assert answer.json()["error"].startswith(f"{field}")


async def test_a_client_that_has_the_list_gets_304(service: Service, store: Connection) -> None:
    for number in range(1, 20):
        add_listed(store, f"S{number}", number)
    await publish_and_read(store, service)
    plain = await service.client.get("/api/v2/tokenlist", headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    packed = await service.client.get("/api/v2/tokenlist", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.content == plain.content == gzip.decompress(gzip.compress(plain.content))
    assert int(packed.headers["content-length"]) < len(plain.content) / 3
    tag = plain.headers["etag"]
    assert packed.headers["etag"] == tag
    for given in (tag, tag.removeprefix("W/"), f'"other", {tag}', "*"):
        again = await service.client.get("/api/v2/tokenlist", headers={"If-None-Match": given})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    other = await service.client.get("/api/v2/tokenlist", headers={"If-None-Match": '"other"'})
    assert other.status_code == 200


async def test_two_processes_send_the_same_etag(serve: Serve, store: Connection) -> None:
    add_listed(store, "PEPE", 1)
    publish_list(store)
    async with serve() as one, serve() as other:
        tags = {(await service.get("/tokenlist")).headers["etag"] for service in (one, other)}
    assert len(tags) == 1


async def test_history_is_kept_and_versions_can_be_compared(service: Service, store: Connection) -> None:
    add_listed(store, "PEPE", 1)
    await publish_and_read(store, service)
    store.execute("UPDATE indexed_token SET name = 'Frog'")
    add_listed(store, "WOJAK", 2)
    await publish_and_read(store, service)
    store.execute("UPDATE registration SET expired_at = now() WHERE symbol = 'WOJAK'")
    await publish_and_read(store, service)
    first = (await service.get("/tokenlist/versions", limit=2)).json()
    assert [(one["version"]["major"], one["version"]["minor"], one["removed"]) for one in first["versions"]] == [
        (2, 0, 1), (1, 2, 0),
    ]  # fmt: skip
    rest = (await service.get("/tokenlist/versions", before=first["nextBefore"])).json()
    assert ([one["tokens"] for one in rest["versions"]], rest["nextBefore"]) == ([1, 0], None)

    old = (await service.get("/tokenlist", version="1.1.0")).json()
    assert [(token["symbol"], token["name"]) for token in old["tokens"]] == [("PEPE", "Pepe")]
    assert (await service.get("/tokenlist", version="1.9.0")).status_code == 404

    whole = (await service.get("/tokenlist/diff", **{"from": "1.1.0"})).json()
    assert whole["to"] == {"major": 2, "minor": 0, "patch": 0}
    assert (whole["added"], whole["removed"]) == ([], [])
    assert [(one["from"]["name"], one["to"]["name"]) for one in whole["changed"]] == [("Pepe", "Frog")]
    step = (await service.get("/tokenlist/diff", **{"from": "1.2.0", "to": "2.0.0"})).json()
    assert [token["symbol"] for token in step["removed"]] == ["WOJAK"]
    backwards = await service.get("/tokenlist/diff", **{"from": "2.0.0", "to": "1.2.0"})
    assert backwards.status_code == 400


@pytest.mark.slow
async def test_a_new_version_is_served_within_seconds(service: Service, store: Connection) -> None:
    assert (await service.get("/tokenlist")).json()["tokens"] == []
    add_listed(store, "PEPE", 1)
    publish_list(store)
    for _ in range(600):  # six seconds: three times the age at which it is read again
        if (await service.get("/tokenlist")).json()["tokens"]:
            return
        await asyncio.sleep(0.01)
    pytest.fail("the new version is not served")
