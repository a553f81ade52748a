"""Remembered answers: kept as bytes with their entity tag and compressed form, and given before dependencies run.

Resolving the dependencies of a request costs more than the rest of an answer from memory. A route made with
``remembered_route`` therefore asks its ``recall`` first, which also checks and counts the caller.
"""

from collections.abc import Awaitable, Callable, Coroutine, Hashable
from typing import Any

from fastapi import Request
from fastapi.routing import APIRoute
from starlette.responses import Response

from api.http.cache import Cache
from api.http.conditional import Prepared, prepare
from api.http.metrics import Metrics
from api.http.rendering import Wire, dumps

Recall = Callable[[Request], Awaitable[Response | None]]


def remembered_route(recall: Recall) -> type[APIRoute]:
    """A route class whose routes answer with what ``recall`` returns, and are handled in full when that is None. HEAD
    gets the headers of the whole answer."""

    class RememberedRoute(APIRoute):
        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            handle = super().get_route_handler()

            async def recall_first(request: Request) -> Response:
                response = await recall(request)
                if response is None:
                    response = await handle(request)
                if request.method == "HEAD":
                    response.body = b""
                return response

            return recall_first

    return RememberedRoute


class RememberedAnswers:
    """JSON answers by key; None is remembered too, for what does not exist. See :class:`~api.http.cache.Cache` for the
    times.

    Args:
        failures: exceptions for which a stale answer is given. They are never remembered themselves.
    """

    def __init__(
        self,
        name: str,
        *,
        fresh_seconds: float,
        stale_seconds: float,
        failures: tuple[type[Exception], ...],
        metrics: Metrics,
        limit: int,
    ) -> None:
        self.cache: Cache[Prepared | None] = Cache(
            name,
            ttl_seconds=fresh_seconds,
            stale_seconds=stale_seconds,
            failures=failures,
            metrics=metrics,
            limit=limit,
        )

    async def get(self, key: Hashable, make: Callable[[], Awaitable[Wire | None]]) -> Prepared | None:
        """The answer of ``key``; one caller makes it, the others wait."""

        async def compute() -> Prepared | None:
            body = await make()
            return None if body is None else prepare(dumps(body.model_dump(by_alias=True)))

        return await self.cache.get(key, compute)

    def peek(self, key: Hashable) -> Prepared | None:
        """The answer of ``key`` if it is remembered and fresh."""
        return self.cache.peek(key)

    def forget(self, key: Hashable) -> None:
        """Make the answer of ``key`` again when it is next asked for."""
        self.cache.forget(key)
