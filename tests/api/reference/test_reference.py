"""GET /openapi.json: rendered once, compressed, conditional, and counted by address."""

import asyncio
import gzip
import time

from tests.fixtures.limits import ServeLimited
from tests.fixtures.service import Service

PATH = "/openapi.json"


async def test_the_document_is_rendered_once(service: Service) -> None:
    calls = []
    describe = service.app.state.document._describe
    service.app.state.document._describe = lambda: calls.append(1) or describe()
    answers = await asyncio.gather(*(service.anonymous.get(PATH) for _ in range(8)))
    assert len({answer.content for answer in answers}) == len(calls) == 1
    assert answers[0].json() == service.app.openapi()
    began = time.process_time()
    for _ in range(20):
        await service.anonymous.get(PATH)
    assert (time.process_time() - began) / 20 < 0.02  # rendering takes most of a second


async def test_the_document_is_compressed_and_conditional(service: Service) -> None:
    answer = await service.anonymous.get(PATH, headers={"Accept-Encoding": "identity"})
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    assert answer.headers["cache-control"] == "public, max-age=300"
    assert answer.headers["access-control-allow-origin"] == "*"
    async with service.anonymous.stream("GET", PATH, headers={"Accept-Encoding": "gzip"}) as compressed:
        sent = b"".join([chunk async for chunk in compressed.aiter_raw()])
    assert gzip.decompress(sent) == answer.content
    assert len(sent) < len(answer.content) / 5
    again = await service.anonymous.get(PATH, headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


async def test_the_document_is_counted_by_address(serve_limited: ServeLimited) -> None:
    async with serve_limited(public="per_minute = 3") as service:
        statuses = [(await service.anonymous.get(PATH)).status_code for _ in range(4)]
    assert statuses == [200, 200, 200, 429]
