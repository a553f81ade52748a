"""The class of routes that take a body.

FastAPI reads and parses a body before it resolves any dependency. Here the caller is asked for the credential that the
endpoint declares first, then the body's type is looked at, and only then the body itself: nobody without a credential
is told what is wrong with a body.
"""

from collections.abc import Callable, Coroutine, Iterator
from typing import Any

from fastapi import Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from api.core.access import ACCESS_MARK, ASK_MARK
from api.core.errors import ApiError, RouteGroups


class BodyRoute(APIRoute):
    """A route with a JSON body; routes without a body are served as ever."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, behind the credential and the body's type."""
        handle = super().get_route_handler()
        if self.body_field is None:
            return handle
        asks = [getattr(dependency.call, ASK_MARK) for dependency in accesses(self.dependant)]

        async def ask_first(request: Request) -> Response:
            for ask in asks:
                await ask(request)
            _require_body_type(request)
            return await handle(request)

        return ask_first


def accesses(dependant: Dependant) -> Iterator[Dependant]:
    """The outermost dependencies that decide who may call."""
    for dependency in dependant.dependencies:
        if hasattr(dependency.call, ACCESS_MARK):
            yield dependency
        else:
            yield from accesses(dependency)


def _require_body_type(request: Request) -> None:
    headers = request.headers
    if headers.get("content-length", "0") == "0" and "transfer-encoding" not in headers:
        return  # no body: what is missing is said by name
    groups: RouteGroups = request.app.state.route_groups
    accepted = groups.of(request.scope).body_types
    if headers.get("content-type", "").partition(";")[0].strip().lower() not in accepted:
        raise ApiError(f"Content-Type must be {' or '.join(accepted)}", status=415)
