"""Search results and their fields."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from tests.factories.registrations import add_registration, add_token, address
from tests.factories.tokens import publish, token_row, token_table
from tests.fixtures.service import HOLDER, Serve, Service
from warehouse.clickhouse import Warehouse
from warehouse.domain.addresses import checksum_address
from warehouse.postgres import Connection


async def found_symbols(finder: Service, symbol: str, **parameters: str) -> list[str]:
    answer = (await finder.get("/search", symbol=symbol, **parameters)).json()
    return [result["token"]["symbol"] for result in answer["results"] if result["token"]["address"]]


async def test_exact_matches_come_first_then_lookalikes_then_near_symbols(
    finder: Service, warehouse: Warehouse
) -> None:
    publish(
        warehouse,
        [
            token_row("PEPE", address=1),
            token_row("РЕРЕ", address=2, market_score=Decimal("0.9")),  # Cyrillic
            token_row("PEPECOIN", address=3, market_score=Decimal("0.8")),
            token_row("DOGE", address=4, market_score=Decimal("1.0")),
        ],
    )
    answer = (await finder.get("/search", symbol="pepe", chain="base")).json()
    assert [result["token"]["symbol"] for result in answer["results"]] == ["PEPE", "РЕРЕ", "PEPECOIN"]
    assert answer["meta"]["queryExpanded"] is True
    assert answer["meta"]["expansionQueries"] == ["РЕРЕ", "PEPECOIN"]


async def test_exact_turns_expansion_off(finder: Service, warehouse: Warehouse) -> None:
    publish(warehouse, [token_row("PEPE", address=1), token_row("PEPECOIN", address=2), token_row("P3PE", address=3)])
    answer = (await finder.get("/search", symbol="PEPE", exact="true", chain="base")).json()
    assert [result["token"]["symbol"] for result in answer["results"]] == ["PEPE"]
    assert answer["meta"]["queryExpanded"] is False
    assert answer["meta"]["expansionQueries"] == []


NEAR = (
    ("CATT", "CAT", False),  # four characters allow no edit
    ("SHIBB", "SHIB", True),  # one edit from five characters
    ("SHBIB", "SHIBB", True),  # a transposition is one edit
    ("SHIBX", "SHI", False),  # two edits
    ("MOONSHOT", "MOONSXOX", False),  # eight characters: still one edit
    ("MOONSHOTS", "MOONXHOXX", False),  # three edits
    ("MOONSHOTS", "MOONXHOTX", True),  # two edits from nine characters
    ("ELON", "ELONMUSK", True),  # a prefix
    ("LON", "ELON", False),  # not an infix
    ("S0L", "SOL", True),  # look-alikes at any length
    ("A1", "AL", True),
    ("BTC", "ＢＴＣ", True),  # full width
    ("CAFE", "CAFÉ", True),  # diacritics
)


async def test_near_symbols_are_found_and_others_are_not(finder: Service, warehouse: Warehouse) -> None:
    symbols = sorted({symbol for _, symbol, _ in NEAR})
    publish(warehouse, [token_row(symbol, address=number) for number, symbol in enumerate(symbols, 1)])
    for query, symbol, found in NEAR:
        assert (symbol in await found_symbols(finder, query)) is found, (query, symbol)


async def test_expansion_is_limited_to_the_fifty_best_by_market(finder: Service, warehouse: Warehouse) -> None:
    publish(
        warehouse,
        [token_row(f"CAT{number}", address=number, market_score=Decimal(number) / 1000) for number in range(1, 71)],
    )
    answer = (await finder.get("/search", symbol="CAT", pageSize=100, chain="base")).json()
    expansions = answer["meta"]["expansionQueries"]
    assert expansions == [f"CAT{number}" for number in range(70, 20, -1)]
    assert answer["meta"]["totalResults"] == 51  # and CAT itself is available


async def test_a_chain_without_the_symbol_shows_it_as_available(finder: Service, warehouse: Warehouse) -> None:
    publish(warehouse, [token_row("PEPE", address=1, market_score=Decimal("0.9"))])
    answer = (await finder.get("/search", symbol="pepe", explain="1")).json()
    first = answer["results"][0]
    assert (first["chainKey"], first["registration"], first["hasCrown"]) == ("gnosis", None, False)
    assert first["token"]["symbol"] == "PEPE"
    assert {value for name, value in first["token"].items() if name not in ("symbol", "isCopy")} == {None}
    assert first["explain"]["status"] == "available"
    assert answer["meta"]["statusCounts"] == {"available": 1, "unclaimed": 1}
    assert answer["meta"]["chainCounts"] == {"gnosis": 1, "base": 1}  # not on Robinhood, which is not indexed


async def test_a_token_of_a_near_symbol_does_not_take_the_chain(finder: Service, warehouse: Warehouse) -> None:
    publish(warehouse, [token_row("PEPECOIN", address=1)])
    answer = (await finder.get("/search", symbol="PEPE")).json()
    assert answer["meta"]["statusCounts"] == {"available": 2, "unclaimed": 1}


async def test_an_inactive_token_takes_the_chain_even_when_it_is_not_shown(
    finder: Service, warehouse: Warehouse
) -> None:
    publish(warehouse, [token_row("PEPE", address=1, registered=True, heartbeat_score=Decimal("12"))])
    answer = (await finder.get("/search", symbol="PEPE", chain="base")).json()
    assert answer["results"] == []


async def test_crowns_only_never_shows_what_is_available(finder: Service, warehouse: Warehouse) -> None:
    publish(warehouse, [token_row("DOGE", address=1)])
    answer = (await finder.get("/search", symbol="PEPE", crownsOnly="true")).json()
    assert (answer["results"], answer["meta"]["chainCounts"], answer["pagination"]["totalPages"]) == ([], {}, 0)


async def test_a_result_has_null_for_unknown_values(finder: Service, warehouse: Warehouse) -> None:
    minted = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    publish(
        warehouse,
        [
            token_row(
                "PEPE",
                address=0xABCDEF,
                registered=True,
                registered_at=minted,
                verified_at=minted,
                verification_method="deployer",
                registration_token_id=7,
                registration_manager=b"\x0d" * 20,
                price_usd=Decimal("0.000000000000000000000000000000000001"),
                market_cap_usd=Decimal("123456789012345678901234567890.123456"),
                volume_24h_usd=Decimal("25.000000"),
                logo_url='https://pictures.test/"q".png',
                as_of_block=123,
            )
        ],
    )
    response = await finder.get("/search", symbol="PEPE", chain="base")
    assert b'"priceUsd":0.000000000000000000000000000000000001' in response.content
    assert b'"marketCap":123456789012346000000000000000' in response.content
    result = response.json()["results"][0]
    assert result["token"] | {"priceUsd": None, "marketCap": None} == {
        "address": checksum_address("0x0000000000000000000000000000000000abcdef"),
        "symbol": "PEPE", "name": "PEPE token",
        "nameSource": "indexer", "logoUrl": 'https://pictures.test/"q".png', "website": None, "twitter": None,
        "telegram": None, "discord": None, "decimals": 18, "holders": None, "marketCap": None, "fdv": None,
        "volume24h": 25, "priceUsd": None, "priceChange24h": None, "liquidity": None, "heartbeatScore": 90,
        "tokenRank": None, "isCopy": False,
    }  # fmt: skip
    assert result["registration"] == {
        "status": "claimed", "tokenId": 7, "owner": checksum_address("0x" + "0e" * 20),
        "manager": checksum_address("0x" + "0d" * 20),
        "tokenAddress": result["token"]["address"], "crownContractAddress": checksum_address("0x" + "0f" * 20),
        "verificationMethod": "deployer", "verifiedAt": "2026-01-02T03:04:05.000Z",
        "mintTimestamp": int(minted.timestamp()),
    }  # fmt: skip
    assert (result["source"], result["sources"], result["hasCrown"]) == ("registry", ["registry", "indexer"], True)
    assert (result["chainId"], result["chainName"], result["chainKey"]) == (8453, "Base", "base")
    assert result["shareUrl"] == "https://site.test/base/PEPE"
    assert (result["asOfBlock"], result["asOfTime"]) == (123, "2026-01-01T00:00:00.000Z")
    assert "explain" not in result


async def test_the_answer_has_the_query_and_the_published_state(finder: Service, warehouse: Warehouse) -> None:
    publish(warehouse, [token_row("PEPE", address=1)], version=5)
    answer = (await finder.get("/search", symbol="pepe", chain="BASE", status="unclaimed", sort="volume")).json()
    assert (answer["success"], answer["symbol"]) == (True, "PEPE")
    assert answer["filters"] == {"chain": "base", "status": "unclaimed"}
    assert answer["sort"] == {"field": "volume", "order": "desc"}
    for unfiltered in ({}, {"chain": "all", "status": "all"}):
        everything = (await finder.get("/search", symbol="pepe", **unfiltered)).json()
        assert everything["filters"] == {"chain": "all", "status": "all"}
        assert everything["meta"]["statusCounts"] == {"available": 1, "unclaimed": 1}
    assert answer["meta"]["asOf"]["version"] == 5
    assert answer["meta"]["asOf"]["blocks"] == {"base": 500, "gnosis": 500}


async def test_statuses_follow_the_registration_and_the_heartbeat(finder: Service, warehouse: Warehouse) -> None:
    now = datetime.now(UTC)
    long_ago, lately = now - timedelta(days=31), now - timedelta(days=29)
    given = [
        ("unclaimed", {}),
        ("unclaimed", {"registered": True, "registered_at": lately, "registration_expired": 1}),
        ("grace_period", {"registered": True, "registered_at": lately, "heartbeat_score": Decimal("1")}),
        ("claimed", {"registered": True, "registered_at": long_ago, "heartbeat_score": Decimal("60")}),
        ("claimed", {"registered": True, "registered_at": long_ago, "heartbeat_score": None}),
        ("inactive", {"registered": True, "registered_at": long_ago, "heartbeat_score": Decimal("59.99")}),
    ]
    publish(warehouse, [token_row("PEPE", address=number, **changes) for number, (_, changes) in enumerate(given, 1)])
    answer = (await finder.get("/search", symbol="PEPE", includeInactive="true", chain="base")).json()
    found = {result["token"]["address"].lower(): result for result in answer["results"]}
    for number, (status, _) in enumerate(given, 1):
        result = found[f"0x{number:040x}"]
        assert (result["registration"]["status"], result["hasCrown"]) == (status, status != "unclaimed")


async def test_a_factory_token_is_owned_by_its_owner_only(finder: Service, warehouse: Warehouse) -> None:
    mine = token_row(
        "MINE", address=1, registered=True, made_by_factory=1, registration_owner=bytes.fromhex(HOLDER[2:])
    )
    other = token_row("MINE", address=2, registered=True, made_by_factory=1)
    publish(warehouse, [mine, other])
    answer = (await finder.get("/search", symbol="MINE", chain="base")).json()
    statuses = {result["token"]["address"][-1]: result["registration"]["status"] for result in answer["results"]}
    assert statuses == {"1": "owned", "2": "claimed"}
    assert answer["meta"]["statusCounts"] == {"claimed": 1, "owned": 1}


async def test_explain_gives_each_term_of_the_order(finder: Service, warehouse: Warehouse) -> None:
    original = token_row("PEPE", address=1, chain_id=1, market_score=Decimal("0.25"))
    publish(warehouse, [original, token_row("PEPE", address=2, copy_of=original)])
    results = (await finder.get("/search", symbol="PEPE", explain="true", chain="base")).json()["results"]
    assert results[0]["explain"] == {
        "level": "exact", "isCopy": True, "copyOf": "eip155:1:0x0000000000000000000000000000000000000001",
        "copyRule": "senior", "copyEvidence": None, "sameSymbolOn": ["eth"], "status": "unclaimed",
        "statusPriority": 1, "marketScore": 0, "chainPriority": 3,
    }  # fmt: skip


async def test_explain_gives_the_figures_behind_each_verdict(
    finder: Service, warehouse: Warehouse, store: Connection
) -> None:
    publish(warehouse, [token_row("PEPE", address=number) for number in (1, 2)])
    add_token(store, address=address(1), weight_usd=Decimal("64000.5"), senior_block=7)
    store.execute("INSERT INTO copy_progress (chain_id, as_of_block, as_of_time) VALUES (8453, 123, now())")
    results = (await finder.get("/search", symbol="PEPE", explain="true", chain="base")).json()["results"]
    figures = {result["token"]["address"][-1]: result["explain"]["copyEvidence"] for result in results}
    assert figures["2"] is None
    assert (figures["1"]["weightUsd"], figures["1"]["seniorBlock"], figures["1"]["asOfBlock"]) == (64000.5, 7, 123)


async def test_a_second_answer_comes_from_the_cache_until_refresh(finder: Service, warehouse: Warehouse) -> None:
    publish(warehouse, [token_row("PEPE", address=1)], version=1)
    first = await finder.get("/search", symbol="PEPE")
    publish(warehouse, [token_row("PEPE", address=1), token_row("PEPE", address=2)], version=2)
    again = await finder.get("/search", symbol="pepe")
    fresh = await finder.get("/search", symbol="PEPE", refresh="true")
    after = await finder.get("/search", symbol="PEPE")
    assert first.content == again.content
    assert fresh.json()["meta"]["asOf"]["version"] == 2
    assert after.content == fresh.content
    metrics = await finder.metrics()
    assert 'regalia_cache_reads_total{cache="search",result="hit"} 2.0' in metrics
    assert 'regalia_cache_reads_total{cache="search",result="miss"} 2.0' in metrics


async def test_unpublished_rows_are_not_found(finder: Service, warehouse: Warehouse) -> None:
    publish(warehouse, [token_row("PEPE", address=1)], version=1)
    unpublished = [token_row("PEPE", address=2, version=2), token_row("PEPE", address=1, version=2, deleted=1)]
    warehouse.insert_arrow("serve_token", token_table(unpublished))
    answer = (await finder.get("/search", symbol="PEPE", chain="base")).json()
    assert [result["token"]["address"][-1] for result in answer["results"]] == ["1"]
    publish(warehouse, [token_row("OTHER", address=9)], version=2)
    answer = (await finder.get("/search", symbol="PEPE", chain="base", refresh="true")).json()
    assert [result["token"]["address"][-1] for result in answer["results"]] == ["2"]


async def test_before_the_first_publication_the_answer_is_503(finder: Service) -> None:
    response = await finder.get("/search", symbol="PEPE")
    assert (response.status_code, response.json()["code"]) == (503, "unavailable")
    assert int(response.headers["Retry-After"]) > 0


async def test_without_the_warehouse_the_answer_is_503(serve: Serve) -> None:
    async with serve(clickhouse_url="http://u:p@127.0.0.1:9/regalia") as running:
        for path, code in (("/search?symbol=PEPE", "unavailable"), ("/token/PEPE/base", "UNAVAILABLE")):
            response = await running.client.get(f"/api/v2{path}")
            assert (response.status_code, response.json()["code"]) == (503, code)
            assert int(response.headers["Retry-After"]) > 0


@pytest.mark.parametrize("value", ["apps", "widgets"])
async def test_include_adds_the_apps_of_the_pages(
    finder: Service, warehouse: Warehouse, store: Connection, value: str
) -> None:
    publish(warehouse, [token_row("PEPE", address=1, registered=True), token_row("PEPE", address=2)])
    registered = (await finder.get("/search", symbol="PEPE", crownsOnly="true")).json()["results"][0]["registration"]
    add_registration(store, token_id=registered["tokenId"])
    store.execute(
        "INSERT INTO page_app (chain_id, token_id, app_id, position) VALUES (8453, %s, 'regalia/market-card', 0)",
        (registered["tokenId"],),
    )
    plain = (await finder.get("/search", symbol="PEPE")).json()["results"]
    assert all("apps" not in result for result in plain)
    results = (await finder.get("/search", symbol="PEPE", include=value)).json()["results"]
    apps = {bool(result["hasCrown"]): result.get("apps") for result in results if result["token"]["address"]}
    assert [app["id"] for app in apps[True]] == ["regalia/market-card"]
    assert apps[False] is None
    assert "/coins/base/PEPE" in apps[True][0]["embed"]["url"]
