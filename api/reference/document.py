"""The OpenAPI document as bytes: rendered and compressed once in each process."""

import asyncio
from collections.abc import Callable
from typing import Any

from api.http.conditional import Prepared, prepare
from api.http.rendering import dumps


class RenderedDocument:
    """The document of an application.

    Args:
        describe: makes the document, which takes most of a second.
    """

    def __init__(self, describe: Callable[[], dict[str, Any]]) -> None:
        self._describe = describe
        self._rendered: Prepared | None = None
        self._rendering: asyncio.Task[Prepared] | None = None

    def render(self) -> Prepared:
        """The document. The first call makes it; a server calls this before it takes requests."""
        if self._rendered is None:
            self._rendered = prepare(dumps(self._describe()))
        return self._rendered

    async def get(self) -> Prepared:
        """The document, made in a thread if no one has asked for it yet."""
        if self._rendered is not None:
            return self._rendered
        if self._rendering is None:
            self._rendering = asyncio.create_task(asyncio.to_thread(self.render))
        return await asyncio.shield(self._rendering)
