"""Public reads of verified coins, their apps and sites."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
import pytest
from eth_utils.address import to_checksum_address
from psycopg.types.json import Jsonb

from tests.factories.registrations import BASE
from tests.factories.token_lists import add_listed
from tests.factories.tokens import publish, token_row
from tests.fixtures.service import Serve, Service
from warehouse.clickhouse import Warehouse
from warehouse.postgres import Connection


@pytest.fixture
async def open_service(serve: Serve, warehouse_url: str) -> AsyncIterator[Service]:
    async with serve(
        clickhouse_url=warehouse_url, site_url="https://site.test", base_url="https://api.test"
    ) as running:
        yield running


async def read(service: Service, path: str, **headers: str) -> httpx.Response:
    return await service.anonymous.get(f"/api/v2/public{path}", headers=headers)


def served(warehouse: Warehouse, number: int, symbol: str = "PEPE", **figures: Any) -> None:
    publish(warehouse, [token_row(symbol, address=0x70000 + number, registered=True, **figures)])


async def test_a_verified_coin_has_its_market(open_service: Service, warehouse: Warehouse, store: Connection) -> None:
    place = add_listed(store, "PEPE", 7, profile=Jsonb({"logoUrl": "https://pepe.example/a.png"}))
    served(warehouse, 7, price_usd=Decimal("0.0000123"), volume_24h_usd=Decimal("5.5"), holders=3)
    answer = await read(open_service, "/coins/base/pepe")
    body = answer.json()
    assert set(body.pop("asOf")) == {"block", "time"}
    market = body.pop("market")
    assert (market["priceUsd"], market["volume24hUsd"]) == (0.0000123, 5.5)
    assert set(market) == {"priceUsd", "marketCapUsd", "volume24hUsd", "liquidityUsd", "priceChange24hPct"}
    assert body == {
        "symbol": "PEPE", "name": "Pepe", "chain": "base", "chainId": "eip155:8453", "crownId": 7,
        "tokenAddress": to_checksum_address(place), "logoUrl": "https://pepe.example/a.png", "nsfw": False,
        "pageUrl": "https://site.test/base/PEPE", "holders": 3,
    }  # fmt: skip
    assert '"priceUsd":0.0000123' in answer.text

    for path in ("/coins/base/pepe", "/coins/base/pepe/apps", "/crowns/base/7/sites"):
        heads = [await open_service.anonymous.head(f"/api/v2/public{path}") for _ in range(2)]  # computed and cached
        whole = await read(open_service, path)
        for head in heads:
            assert (head.status_code, head.content) == (200, b"")
            same = ("content-length", "content-type", "etag", "cache-control", "access-control-allow-origin")
            assert [head.headers[name] for name in same] == [whole.headers[name] for name in same]
    refused = await open_service.anonymous.post("/api/v2/public/coins/base/pepe")
    assert (refused.status_code, refused.headers["allow"]) == (405, "GET, HEAD")


async def test_unknown_metrics_are_null(open_service: Service, warehouse: Warehouse, store: Connection) -> None:
    add_listed(store, "PEPE", 7)
    publish(warehouse, [token_row("OTHER", address=1)])
    body = (await read(open_service, "/coins/base/PEPE")).json()
    assert set(body["market"].values()) == {None}
    assert (body["holders"], body["logoUrl"], body["asOf"]) == (None, None, {"block": None, "time": None})


async def test_a_page_marked_nsfw_shows_no_logo(open_service: Service, warehouse: Warehouse, store: Connection) -> None:
    add_listed(store, "PEPE", 7, profile=Jsonb({"logoUrl": "https://pepe.example/a.png", "nsfw": True}))
    served(warehouse, 7)
    body = (await read(open_service, "/coins/base/PEPE")).json()
    assert (body["nsfw"], body["logoUrl"]) == (True, None)


@pytest.mark.parametrize(
    "changes",
    [{"released_at": datetime.now(UTC)}, {"expired_at": datetime.now(UTC)}, {"score": "59"}],
)
async def test_only_active_registrations_are_public(
    open_service: Service, warehouse: Warehouse, store: Connection, changes: dict[str, Any]
) -> None:
    add_listed(store, "PEPE", 7, **changes)
    served(warehouse, 7)
    for path in ("/coins/base/PEPE", "/coins/base/PEPE/apps", "/crowns/base/7/sites"):
        assert (await read(open_service, path)).status_code == 404, path


@pytest.mark.parametrize(
    "path",
    [
        "/coins/base/NONE", "/coins/BASE/PEPE", "/coins/8453/PEPE", "/coins/nowhere/PEPE", "/coins/robinhood/PEPE",
        "/coins/base/P-E", "/coins/base/" + "A" * 21, "/coins/eth/PEPE/apps", "/crowns/base/8/sites",
        "/crowns/base/x/sites", "/crowns/base/0/sites", f"/crowns/base/{'9' * 40}/sites", "/crowns/eth/7/sites",
        "/holdings/base/0x12/0x34", "/other",
    ],
)  # fmt: skip
async def test_a_404_is_remembered_for_a_minute(
    open_service: Service, warehouse: Warehouse, store: Connection, path: str
) -> None:
    add_listed(store, "PEPE", 7)
    served(warehouse, 7)
    answer = await read(open_service, path)
    body = answer.json()
    assert (answer.status_code, body["code"], set(body)) == (404, "not_found", {"error", "code", "message"})
    assert answer.headers["access-control-allow-origin"] == "*"
    if path != "/other":
        assert answer.headers["cache-control"] == "public, max-age=60"


async def test_any_origin_may_read_without_credentials(
    open_service: Service, warehouse: Warehouse, store: Connection
) -> None:
    add_listed(store, "PEPE", 7)
    served(warehouse, 7)
    for path in ("/coins/base/PEPE", "/coins/base/NONE"):
        answer = await read(open_service, path, Origin="https://shop.example")
        assert answer.headers["access-control-allow-origin"] == "*"
        assert "access-control-allow-credentials" not in answer.headers
        assert "ETag" in answer.headers["access-control-expose-headers"]
        assert not [name for name in answer.headers if name.lower().startswith("x-ratelimit")]
    preflight = await open_service.anonymous.options(
        "/api/v2/public/coins/base/PEPE",
        headers={"Origin": "https://shop.example", "Access-Control-Request-Method": "GET",
                 "Access-Control-Request-Headers": "if-none-match"},
    )  # fmt: skip
    assert preflight.status_code == 204
    assert "If-None-Match" in preflight.headers["access-control-allow-headers"]
    keyed = await open_service.get("/registration/fee")
    assert "access-control-allow-origin" not in keyed.headers


async def test_every_process_answers_304_for_the_same_etag(
    serve: Serve, warehouse_url: str, warehouse: Warehouse, store: Connection
) -> None:
    add_listed(store, "PEPE", 7)
    served(warehouse, 7)
    async with serve(clickhouse_url=warehouse_url) as one, serve(clickhouse_url=warehouse_url) as other:
        first = await read(one, "/coins/base/PEPE")
        again = await read(other, "/coins/base/PEPE", **{"If-None-Match": first.headers["etag"]})
    assert first.headers["cache-control"] == "public, max-age=60, stale-while-revalidate=120"
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    assert again.headers["cache-control"] == first.headers["cache-control"]


async def test_a_change_shows_after_the_minute(open_service: Service, warehouse: Warehouse, store: Connection) -> None:
    assert (await read(open_service, "/crowns/base/7/sites")).status_code == 404
    add_listed(store, "PEPE", 7)
    assert (await read(open_service, "/crowns/base/7/sites")).status_code == 404
    open_service.services.public_reads._pages.cache.clear()  # the minute is over
    assert (await read(open_service, "/crowns/base/7/sites")).status_code == 200


async def test_without_warehouse_a_coin_is_unavailable_and_not_missing(serve: Serve, store: Connection) -> None:
    add_listed(store, "PEPE", 7)
    async with serve(clickhouse_url="http://127.0.0.1:9/none") as service:
        answer = await read(service, "/coins/base/PEPE")
        assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
        assert int(answer.headers["retry-after"]) > 0
        assert answer.headers["cache-control"] == "no-store"
        assert (await read(service, "/coins/base/PEPE/apps")).status_code == 200


async def test_apps_are_in_page_order_without_disabled_or_nsfw_ones(
    serve: Serve, store: Connection, tmp_path: Path
) -> None:
    catalogue = tmp_path / "apps.toml"
    catalogue.write_text(
        '["studio/game"]\nname = "Game"\ndescription = ""\nversion = "0.1.0"\ncategory = "games"\n'
        'icon = "https://studio.example/i.png"\n'
        '["studio/adult"]\nname = "Adult"\ndescription = ""\nversion = "0.1.0"\ncategory = "games"\nrating = "nsfw"\n'
    )
    add_listed(store, "PEPE", 7)
    order = ["studio/game", "studio/adult", "regalia/holder-check", "regalia/market-card", "studio/gone"]
    for position, app_id in enumerate(order):
        store.execute(
            "INSERT INTO page_app (chain_id, token_id, app_id, position, enabled) VALUES (%s, 7, %s, %s, %s)",
            (BASE, app_id, position, app_id != "regalia/holder-check"),
        )
    async with serve(apps=catalogue, base_url="https://api.test") as service:
        body = (await read(service, "/coins/base/PEPE/apps")).json()
    assert {name: body[name] for name in ("symbol", "chain", "chainId", "crownId")} == {
        "symbol": "PEPE", "chain": "base", "chainId": "eip155:8453", "crownId": 7,
    }  # fmt: skip
    assert [(app["id"], app["firstParty"], app["icon"]) for app in body["apps"]] == [
        ("studio/game", False, "https://studio.example/i.png"), ("regalia/market-card", True, None),
    ]  # fmt: skip
    assert body["apps"][0]["embed"] is None
    assert body["apps"][1]["embed"] == {"kind": "data", "url": "https://api.test/api/v2/public/coins/base/PEPE"}


async def test_only_sites_with_a_verified_domain_are_listed(serve: Serve, store: Connection) -> None:
    add_listed(store, "PEPE", 7)
    add_listed(store, "WOJAK", 8, embeds_enabled=False)
    for token_id, domain, verified, embeds in (
        (7, "pepe.example", True, False), (7, "shop.pepe.example", True, True), (7, "later.example", False, True),
        (8, "wojak.example", True, True),
    ):  # fmt: skip
        store.execute(
            "INSERT INTO registration_domain (chain_id, token_id, domain, challenge, verified_at, embeds)"
            " VALUES (%s, %s, %s, '', %s, %s)",
            (BASE, token_id, domain, datetime.now(UTC) - timedelta(days=1) if verified else None, embeds),
        )
    add_listed(store, "MILADY", 9)
    async with serve() as service:
        sites = {token_id: (await read(service, f"/crowns/base/{token_id}/sites")).json() for token_id in (7, 8, 9)}
    assert sites[7] == {
        "chain": "base", "chainId": "eip155:8453", "crownId": 7, "symbol": "PEPE",
        "badgeHosts": ["pepe.example", "shop.pepe.example"], "embedHosts": ["shop.pepe.example"], "interactive": True,
    }  # fmt: skip
    assert (sites[8]["embedHosts"], sites[8]["interactive"]) == (["wojak.example"], False)
    assert (sites[9]["badgeHosts"], sites[9]["embedHosts"], sites[9]["interactive"]) == ([], [], False)
