"""Every invalid parameter is refused by name."""

from tests.fixtures.service import Service

REFUSED = (
    ("", "symbol"),
    ("symbol=", "symbol"),
    ("symbol=%20PEPE", "symbol"),
    ("symbol=PE%20PE", "symbol"),
    ("symbol=PE-PE", "symbol"),
    ("symbol=%D0%A0%D0%95", "symbol"),
    ("symbol=" + "A" * 21, "symbol"),
    ("symbol=A&symbol=B", "symbol"),
    ("symbol=A&chain=", "chain"),
    ("symbol=A&chain=nochain", "chain"),
    ("symbol=A&chain=robinhood", "chain"),
    ("symbol=A&chain=99999", "chain"),
    ("symbol=A&status=owned", "status"),
    ("symbol=A&status=CLAIMED", "status"),
    ("symbol=A&page=0", "page"),
    ("symbol=A&page=-1", "page"),
    ("symbol=A&page=1.5", "page"),
    ("symbol=A&page=one", "page"),
    ("symbol=A&page=99999999999999999999", "page"),
    ("symbol=A&pageSize=0", "pageSize"),
    ("symbol=A&pageSize=101", "pageSize"),
    ("symbol=A&pageSize=", "pageSize"),
    ("symbol=A&refresh=yes", "refresh"),
    ("symbol=A&exact=TRUE", "exact"),
    ("symbol=A&crownsOnly=2", "crownsOnly"),
    ("symbol=A&includeInactive=", "includeInactive"),
    ("symbol=A&explain=on", "explain"),
    ("symbol=A&sort=marketCap", "sort"),
    ("symbol=A&sort=", "sort"),
    ("symbol=A&order=down", "order"),
    ("symbol=A&include=everything", "include"),
    ("symbol=A&cursor=", "cursor"),
    ("symbol=A&cursor=rubbish", "cursor"),
    ("symbol=A&cursor=" + "A" * 600, "cursor"),
    ("symbol=A&cursor=abcd&page=2", "page"),
)


async def test_each_bad_parameter_is_named(service: Service) -> None:
    for query, field in REFUSED:
        response = await service.client.get(f"/api/v2/search?{query}")
        body = response.json()
        assert (response.status_code, body["code"]) == (400, "bad_request"), query
        assert body["error"].startswith(f"{field}: "), query


async def test_a_key_is_needed(service: Service) -> None:
    without = await service.anonymous.get("/api/v2/search?symbol=PEPE")
    assert (without.status_code, without.json()["code"]) == (401, "UNAUTHORIZED")
    wrong = await service.anonymous.get("/api/v2/search?symbol=PEPE", headers={"X-API-Key": "rgl_live_x"})
    assert (wrong.status_code, wrong.json()["code"]) == (403, "FORBIDDEN")


async def test_openapi_describes_every_parameter(service: Service) -> None:
    document = (await service.anonymous.get("/openapi.json")).json()
    operation = document["paths"]["/api/v2/search"]["get"]
    assert [parameter["name"] for parameter in operation["parameters"]] == [
        "symbol", "chain", "status", "page", "pageSize", "cursor", "refresh", "exact", "crownsOnly", "includeInactive",
        "sort", "order", "include", "explain",
    ]  # fmt: skip
    assert len(next(p for p in operation["parameters"] if p["name"] == "sort")["schema"]["enum"]) == 17
    assert {"200", "400", "401", "403", "429", "503"} <= set(operation["responses"])


async def test_long_query_strings_are_not_cached(service: Service) -> None:
    await service.client.get("/api/v2/search?symbol=PEPE")
    read = service.services.search._parsed
    kept = read.cache_info().currsize
    for number in range(3):
        answer = await service.client.get(f"/api/v2/search?symbol=PEPE&other={number}{'x' * 2_000}")
        assert answer.status_code in (200, 503)
    assert read.cache_info().currsize == kept
    await service.client.get("/api/v2/search?symbol=PEPE&other=short")
    assert read.cache_info().currsize == kept + 1
