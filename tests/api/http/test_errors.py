"""Error shapes, limits and headers that hold for every route."""

import asyncio
import logging

import pytest

from tests.fixtures.service import Serve, Service

FEES = "/api/v2/config/fees"


async def test_every_answer_has_a_request_id_of_ours(service: Service) -> None:
    for headers in ({}, {"X-Request-Id": "abc-1"}):
        assert len((await service.client.get(FEES, headers=headers)).headers["x-request-id"]) == 32


async def test_the_request_id_of_a_trusted_proxy_is_kept(serve: Serve) -> None:
    async with serve(trusted_proxies="127.0.0.1/32") as service:
        kept = await service.client.get(FEES, headers={"X-Request-Id": "abc-1"})
        replaced = await service.client.get(FEES, headers={"X-Request-Id": "a b\u00e9".encode()})
    assert kept.headers["x-request-id"] == "abc-1"
    assert len(replaced.headers["x-request-id"]) == 32


async def test_requests_are_logged_by_their_route(serve: Serve, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="api.http.observation")
    async with serve(log_request_share=1) as service:
        await service.client.get(FEES)
        await service.anonymous.get("/api/v2/nowhere?secret=1")
    async with serve(log_request_share=0) as quiet:
        await quiet.client.get(FEES)
    async with serve(log_request_share=0, log_slow_seconds=0) as slow:
        await slow.client.get(FEES)
    logged = [(entry.levelname, entry.method, entry.route, entry.status) for entry in caplog.records]  # type: ignore[attr-defined]
    fees, nowhere = ("GET", FEES, 200), ("other", "unmatched", 404)
    assert logged == [("INFO", *fees), ("INFO", *nowhere), ("WARNING", *fees)]


async def test_security_headers(service: Service) -> None:
    headers = (await service.anonymous.get("/nowhere")).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/api/v2/nowhere", 404, "NOT_FOUND"),
        ("GET", "/registration/fee", 404, "NOT_FOUND"),
        ("DELETE", FEES, 405, "METHOD_NOT_ALLOWED"),
        ("GET", "/api/v2/claim/message", 405, "METHOD_NOT_ALLOWED"),
    ],
)
async def test_unknown_paths_and_methods(service: Service, method: str, path: str, status: int, code: str) -> None:
    answer = await service.client.request(method, path)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


@pytest.mark.parametrize(
    ("method", "path", "offered"),
    [
        ("PUT", "/api/v2/webhooks", "GET, POST"),
        ("OPTIONS", "/api/v2/webhooks/1", "DELETE, GET, PATCH"),
        ("POST", "/api/v2/webhooks/events", "GET"),
        ("HEAD", FEES, "GET"),
    ],
)
async def test_a_wrong_method_gets_the_header_allow(service: Service, method: str, path: str, offered: str) -> None:
    answer = await service.client.request(method, path)
    assert (answer.status_code, answer.headers["allow"]) == (405, offered)


async def test_a_repeated_parameter_is_named(service: Service) -> None:
    for path, name in (
        ("/registration/7?chain=base&chain=base", "chain"),
        ("/registration/7/history?limit=5&chain=base&limit=6", "limit"),
        ("/tokenlist?symbol=A&symbol=B&chainId=1&chainId=2", "chainId"),
        ("/token/PEPE/base?tokenAddress=0x1&tokenAddress=0x2", "tokenAddress"),
        ("/heartbeat/at-risk?page=1&page=2", "page"),
        ("/search?symbol=PEPE&symbol=FROG", "symbol"),
        (f"/claim/status/0x{'ab' * 32}?chainId=1&chainId=8453", "chainId"),
    ):
        answer = await service.client.get(f"/api/v2{path}")
        assert (answer.status_code, answer.json()["error"]) == (400, f"{name}: is given more than once"), path
        assert (await service.anonymous.get(f"/api/v2{path}")).status_code == 401, path
    assert (await service.client.get(f"{FEES}?a=1&a=2")).status_code == 200
    assert "more than once" not in (await service.client.get("/api/v2/tokenlist?symbol=A&symbol=B")).text


async def test_repeated_and_unknown_members_are_refused(service: Service) -> None:
    for path, body, words in (
        ("/verify/symbol", '{"symbol": "PEPE", "symbol": "FROG"}', "body: has the member 'symbol' twice"),
        ("/claim/message", '{"symbol": {"a": 1, "\\u0061": 2}}', "body: has the member 'a' twice"),
        ("/verify/symbol", '{"symbol": "PEPE", "chain": "base"}', "chain: is not a known member"),
        (
            "/claim/message",
            '{"symbol": "PEPE", "chainId": 8453, "tokenAddress": "", "claimerAddress": "", "signature": ""}',
            "signature: is not a known member",
        ),
    ):
        headers = {"Content-Type": "application/json"}
        answer = await service.client.post(f"/api/v2{path}", content=body, headers=headers)
        assert (answer.status_code, answer.json()["error"]) == (400, words), body


async def test_a_body_is_json_in_utf_8(service: Service) -> None:
    text = '{"symbol": "PEPE"}'
    path, kind = "/api/v2/verify/symbol", "application/json"
    for charset in ("", "; charset=utf-8", '; Charset="UTF-8"'):
        answer = await service.client.post(path, content=text, headers={"Content-Type": kind + charset})
        assert answer.status_code == 200, charset
    for encoding in ("utf-16", "utf-16-le", "utf-32", "utf-8-sig"):
        answer = await service.client.post(path, content=text.encode(encoding), headers={"Content-Type": kind})
        assert (answer.status_code, answer.json()["error"]) == (400, "body: cannot be read as JSON"), encoding
        declared = {"Content-Type": f"{kind}; charset={encoding}"}
        answer = await service.client.post(path, content=text.encode(encoding), headers=declared)
        assert answer.status_code == 415, encoding
    for constant in ("NaN", "-Infinity"):
        answer = await service.client.post(path, content=f'{{"symbol": {constant}}}', headers={"Content-Type": kind})
        assert (answer.status_code, answer.json()["error"]) == (400, "body: cannot be read as JSON")


async def test_a_body_over_the_limit_is_413(service: Service) -> None:
    answer = await service.post("/verify/symbol", {"symbol": "A" * 70_000})
    assert (answer.status_code, answer.json()["code"]) == (413, "PAYLOAD_TOO_LARGE")
    assert "body" in answer.json()["error"]


async def test_a_body_without_a_length_is_cut_off_at_the_limit(service: Service) -> None:
    async def endless() -> object:
        for _ in range(100):
            yield b'{"symbol": "' + b"A" * 10_000

    answer = await service.client.post(
        "/api/v2/verify/symbol", content=endless(), headers={"content-type": "application/json"}
    )
    assert answer.status_code == 413


async def test_a_wrong_content_type_is_415(service: Service) -> None:
    answer = await service.client.post("/api/v2/verify/symbol", content=b"symbol=PEPE")
    assert (answer.status_code, answer.json()["code"]) == (415, "UNSUPPORTED_MEDIA_TYPE")
    assert "Content-Type" in answer.json()["error"]


async def test_invalid_json_is_400_of_the_group(service: Service) -> None:
    for path, code in (("/verify/symbol", "INVALID_REQUEST"), ("/claim/message", "VALIDATION_INVALID_INPUT")):
        answer = await service.client.post(f"/api/v2{path}", content=b"{", headers={"content-type": "application/json"})
        assert (answer.status_code, answer.json()) == (400, {"error": "body: cannot be read as JSON", "code": code})


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b'{"symbol": "\xff"}', "body: cannot be read as JSON"),
        (b'{"symbol": ' + b"1" * 5_000 + b"}", "body: cannot be read as JSON"),
        (b"[" * 20_000, "body: cannot be read as JSON"),
        (b"null", "body: must be a JSON object"),
        (b"[]", "body: must be a JSON object"),
        (b'"PEPE"', "body: must be a JSON object"),
        (b"", "body: is required"),
        (b'{"symbol": "\\ud800"}', "symbol: must be text: half of a surrogate pair is not a character"),
    ],
)
async def test_a_body_that_is_not_an_object_is_400(service: Service, content: bytes, problem: str) -> None:
    answer = await service.client.post(
        "/api/v2/verify/symbol", content=content, headers={"content-type": "application/json"}
    )
    assert (answer.status_code, answer.json()) == (400, {"error": problem, "code": "INVALID_REQUEST"})


async def test_an_unknown_path_is_404_whatever_is_sent(service: Service) -> None:
    headers = {"content-type": "text/plain"}
    assert (await service.client.post("/api/v2/nowhere", content=b"x", headers=headers)).status_code == 404
    assert (await service.client.post("/api/v2/config/fees", content=b"x", headers=headers)).status_code == 405


async def test_a_request_that_takes_too_long_is_503(serve: Serve) -> None:
    async with serve(request_timeout_seconds=0.05) as service:

        async def hang(*_: object, **__: object) -> None:
            await asyncio.sleep(60)

        service.services.store.rows = hang
        answer = await service.get("/registration/PEPE/base")
    assert answer.status_code == 503
    assert int(answer.headers["retry-after"]) > 0


async def test_an_unexpected_failure_is_500_without_details(service: Service) -> None:
    async def fail(*_: object, **__: object) -> None:
        raise RuntimeError("secret")

    service.services.store.rows = fail
    answer = await service.get("/registration/PEPE/base")
    assert (answer.status_code, answer.json()["code"]) == (500, "INTERNAL_ERROR")
    assert "secret" not in answer.text
    assert answer.headers["x-request-id"]


async def test_a_store_that_stops_answering_is_503_within_its_time_limit(serve: Serve) -> None:
    connected: list[asyncio.StreamWriter] = []

    async def say_nothing(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connected.append(writer)

    silent = await asyncio.start_server(say_nothing, "127.0.0.1")
    port = silent.sockets[0].getsockname()[1]
    async with serve() as service:
        await service.get("/config/fees")  # the key is cached now
        state = service.services
        state.store = type(state.store)(f"postgresql://nobody@127.0.0.1:{port}/none", timeout_seconds=0.2)
        began = asyncio.get_running_loop().time()
        answer = await service.get("/registration/PEPE/base")
        assert asyncio.get_running_loop().time() - began < 20
        await state.store.close()
    for writer in connected:
        writer.close()
        await writer.wait_closed()
    silent.close()
    await silent.wait_closed()
    assert (answer.status_code, answer.json()["code"]) == (503, "UNAVAILABLE")
    assert int(answer.headers["retry-after"]) > 0


async def test_a_lost_store_is_503_with_retry_after(serve: Serve) -> None:
    async with serve() as service:
        gone = type(service.services.store)("postgresql://nobody@127.0.0.1:9/none")
        service.services.api_keys.store = gone
        answer = await service.get("/config/fees")
        await gone.close()
    assert (answer.status_code, answer.json()["code"]) == (503, "UNAVAILABLE")
    assert int(answer.headers["retry-after"]) > 0
