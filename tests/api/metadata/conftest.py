"""Pictures, and wallets that upload them."""

import io
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from PIL import Image

from tests.api.auth.conftest import Door, SetClock, authorized, new_wallet
from tests.api.conftest import Serve, Service
from tests.fixtures.ipfs_node import ipfs_node  # noqa: F401 - a fixture

UPLOAD = "/api/v2/metadata/upload"
SITE = {"site_url": "https://crowns.example", "base_url": "https://api.crowns.example"}


def picture(format: str, size: tuple[int, int] = (20, 10), **options: Any) -> bytes:
    """A picture with something on it, as an image library writes it."""
    image = Image.frombytes("RGB", size, bytes(i * i % 251 for i in range(3 * size[0] * size[1])))
    file = io.BytesIO()
    image.save(file, format, **options)
    return file.getvalue()


@dataclass(slots=True)
class Uploader:
    """A signed-in wallet."""

    service: Service
    bearer: str

    async def send(self, content: bytes, content_type: str = "application/json") -> httpx.Response:
        """Upload bytes as they are."""
        headers = {**authorized(self.bearer), "Content-Type": content_type}
        return await self.service.anonymous.post(UPLOAD, content=content, headers=headers)

    async def send_form(self, **files: Any) -> httpx.Response:
        """Upload a form."""
        return await self.service.anonymous.post(UPLOAD, files=files, headers=authorized(self.bearer))

    async def read(self, cid: str, method: str = "GET", **headers: str) -> httpx.Response:
        """Read what was uploaded, without a credential."""
        return await self.service.anonymous.request(method, f"/api/v2/public/metadata/{cid}", headers=headers)


async def sign_in(service: Service) -> Uploader:
    """A new wallet's session."""
    return Uploader(service, await Door(service, SetClock()).token(new_wallet()))


@pytest.fixture
async def uploader(serve: Serve) -> AsyncIterator[Uploader]:
    """A wallet at a service that keeps contents in its data directory."""
    async with serve(**SITE) as service:
        yield await sign_in(service)
