"""A browser page of another origin can read public routes without credentials, and never with them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import web
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tests.factories.token_lists import add_listed
from tests.factories.tokens import publish, token_row
from tests.fixtures.browser import Browser
from tests.fixtures.http_server import serving_http
from tests.fixtures.service import Serve
from warehouse.clickhouse import Warehouse
from warehouse.postgres import Connection

COIN, MISSING = "/api/v2/public/coins/base/PEPE", "/api/v2/public/coins/base/NONE"
# Reports what it saw, step by step. Cookies ignore ports, so the page's cookies are also the service's.
PAGE = """<!doctype html><title>shop</title><script type="module">
document.cookie = 'visitor=7';
const seen = {};
const read = async (step, path, options) => {
  try {
    const answer = await fetch(`SERVICE${path}?${step}`, options);
    const named = ['ETag', 'X-Request-Id', 'Retry-After', 'Content-Length'].map((name) => answer.headers.get(name));
    const text = await answer.text();
    seen[step] = { status: answer.status, named, body: text && JSON.parse(text) };
  } catch (error) {
    seen[step] = error.name;
  }
  return seen[step];
};
await read('plain', 'COIN');
await read('plain', 'COIN');
const [tag] = (await read('revalidated', 'COIN')).named;
await read('revalidated', 'COIN', { cache: 'no-cache' });
await read('conditional', 'COIN', { headers: { 'If-None-Match': tag } });
await read('missing', 'MISSING');
await read('credentials', 'COIN', { credentials: 'include' });
await read('credentials-preflight', 'COIN', { credentials: 'include', headers: { 'If-None-Match': tag } });
await read('own-header', 'COIN', { headers: { 'X-API-Key': 'mine' } });
await fetch('/seen', { method: 'POST', body: JSON.stringify(seen) });
</script>"""


@dataclass(slots=True)
class Watched:
    """An application, and what the browser asked it: method, step, cookie, and the status it answered."""

    app: ASGIApp
    asked: list[tuple[str, str, str, int]] = field(default_factory=list)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])

        async def note(message: Message) -> None:
            if message["type"] == "http.response.start":
                cookie = headers.get(b"cookie", b"").decode()
                self.asked.append((scope["method"], scope["query_string"].decode(), cookie, message["status"]))
            await send(message)

        await self.app(scope, receive, note)

    def of(self, step: str) -> list[tuple[str, str, int]]:
        """Method, cookie and status of a step's requests."""
        return [(method, cookie, status) for method, asked, cookie, status in self.asked if asked == step]


@asynccontextmanager
async def page_of(text: str) -> AsyncIterator[tuple[str, asyncio.Future[dict[str, Any]]]]:
    """A site with one page: its address and the page's report."""
    seen: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()

    async def show(_: web.Request) -> web.Response:
        return web.Response(text=text, content_type="text/html")

    async def take(request: web.Request) -> web.Response:
        seen.set_result(await request.json())
        return web.Response(status=204)

    site = web.Application()
    site.add_routes([web.get("/", show), web.post("/seen", take)])
    runner = web.AppRunner(site, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}/", seen
    await runner.cleanup()


async def test_a_browser_reads_from_another_origin_without_credentials(
    serve: Serve, warehouse_url: str, warehouse: Warehouse, store: Connection, browser: Browser, tmp_path: Path
) -> None:
    add_listed(store, "PEPE", 7)
    publish(warehouse, [token_row("PEPE", address=0x70007, registered=True)])
    async with serve(clickhouse_url=warehouse_url) as service:
        watched = Watched(service.app)
        async with serving_http(watched) as address:
            page = PAGE.replace("SERVICE", address).replace("COIN", COIN).replace("MISSING", MISSING)
            async with page_of(page) as (site, handed_in), browser.showing(site, tmp_path / "profile"):
                async with asyncio.timeout(60):
                    seen = await handed_in

    tag, request_id, retry_after, length = seen["plain"]["named"]
    assert (seen["plain"]["status"], seen["plain"]["body"]["crownId"]) == (200, 7)
    assert tag.startswith('W/"')
    assert request_id
    assert (retry_after, length is None) == (None, False)
    # The second read comes from the browser's cache; a revalidation gets 304.
    assert watched.of("plain") == [("GET", "", 200)]
    assert watched.of("revalidated") == [("GET", "", 200), ("GET", "", 304)]
    assert seen["revalidated"] == seen["plain"] | {"named": seen["revalidated"]["named"]}
    # A custom header causes a preflight, which allows it; the page sees the 304 itself.
    assert watched.of("conditional") == [("OPTIONS", "", 204), ("GET", "", 304)]
    assert (seen["conditional"]["status"], seen["conditional"]["named"][0]) == (304, tag)
    assert (seen["missing"]["status"], seen["missing"]["body"]["code"]) == (404, "not_found")
    # With credentials the service answers, and the browser withholds the answer from the page.
    assert seen["credentials"] == "TypeError"
    assert watched.of("credentials") == [("GET", "visitor=7", 200)]
    assert seen["credentials-preflight"] == "TypeError"
    assert [method for method, _, _ in watched.of("credentials-preflight")] == ["OPTIONS"]
    # A header that public reads do not know is refused too.
    assert seen["own-header"] == "TypeError"
    assert [method for method, _, _ in watched.of("own-header")] == ["OPTIONS"]
