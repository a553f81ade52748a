"""``python -m tests.screenshots``: takes the pictures of Dagster's web UI for ``docs/images`` from a running demo."""

import argparse
import asyncio
import base64
import io
import itertools
import json
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
from PIL import Image

from tests.fixtures.browser import unpacked
from tests.fixtures.checkout import CHECKOUT

FOLDER = CHECKOUT / "docs" / "images"
WIDTH, HEIGHT = 1600, 900
COLOURS = 128
"""Of a picture: enough for a user interface, and a third of the size."""
SHOWN_SECONDS = 90.0
SETTLED_SECONDS = 3.0
"""After the awaited text is shown, for what moves into its place."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A page, and the text that it shows when it is ready."""

    name: str
    path: str
    awaited: str


PICTURES = (
    Picture("dagster-groups", "/asset-groups", "sums_and_prices"),
    Picture("dagster-lineage", "/assets/agg_token_price?view=lineage", "serve_token"),
    Picture("dagster-asset", "/assets/agg_token_price?view=overview", "Latest materialization"),
)


class Page:
    """A page of the browser, over its debugging protocol."""

    def __init__(self, line: aiohttp.ClientWebSocketResponse) -> None:
        self._line = line
        self._ids = itertools.count(1)

    async def call(self, method: str, **parameters: Any) -> Mapping[str, Any]:
        """The result of one call."""
        number = next(self._ids)
        await self._line.send_json({"id": number, "method": method, "params": parameters})
        while True:
            answer = await self._line.receive_json()
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return dict(answer["result"])

    async def evaluate(self, expression: str) -> Any:
        """The value of an expression in the page."""
        found = await self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        return found["result"].get("value")

    async def take(self, base_url: str, picture: Picture) -> bytes:
        """A picture of a page as PNG, once it shows what it should."""
        await self.call("Page.navigate", url=base_url + picture.path)
        deadline = time.monotonic() + SHOWN_SECONDS
        while not await self.evaluate(f"document.body?.innerText.includes({json.dumps(picture.awaited)})"):
            if time.monotonic() > deadline:
                raise TimeoutError(f"{picture.path} does not show {picture.awaited!r}")
            await asyncio.sleep(0.25)
        await asyncio.sleep(SETTLED_SECONDS)
        taken = await self.call("Page.captureScreenshot", format="png")
        return base64.b64decode(taken["data"])


async def take_all(base_url: str, folder: Path) -> None:
    """Take all pictures and write them to a folder."""
    with unpacked() as browser, tempfile.TemporaryDirectory() as name:
        profile = Path(name)
        flags = ("--remote-debugging-port=0", f"--window-size={WIDTH},{HEIGHT}", "--hide-scrollbars")
        async with (
            browser.showing("about:blank", profile, *flags),
            aiohttp.ClientSession() as session,
            session.ws_connect(await _debugging_url(session, profile), max_msg_size=1 << 28) as line,
        ):
            page = Page(line)
            for picture in PICTURES:
                path = folder / f"{picture.name}.png"
                path.write_bytes(_smaller(await page.take(base_url, picture)))
                print(f"{path}: {path.stat().st_size / 1000:.0f} kB")


async def _debugging_url(session: aiohttp.ClientSession, profile: Path) -> str:
    """Where the browser's one page is controlled. The browser writes its port to a file of the profile."""
    deadline = time.monotonic() + SHOWN_SECONDS
    found = profile / "DevToolsActivePort"
    while not (found.exists() and found.read_text()):
        if time.monotonic() > deadline:
            raise TimeoutError("the browser did not start")
        await asyncio.sleep(0.1)
    port = found.read_text().split()[0]
    async with session.get(f"http://127.0.0.1:{port}/json/list") as answer:
        pages = await answer.json()
    return next(str(page["webSocketDebuggerUrl"]) for page in pages if page["type"] == "page")


def _smaller(png: bytes) -> bytes:
    out = io.BytesIO()
    Image.open(io.BytesIO(png)).convert("RGB").quantize(COLOURS).save(out, "PNG", optimize=True)
    return out.getvalue()


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.screenshots", description=__doc__)
    parser.add_argument("--data-dir", type=Path, default=CHECKOUT / ".regalia" / "demo", help="of the running demo")
    parser.add_argument("--out", type=Path, default=FOLDER)
    given = parser.parse_args()
    parts = json.loads((given.data_dir / "run" / "stack.json").read_text())["parts"]
    given.out.mkdir(parents=True, exist_ok=True)
    asyncio.run(take_all(parts["dagster"]["listens"], given.out))


if __name__ == "__main__":
    main()
