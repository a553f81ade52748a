"""The classes of routes that take query parameters or a body.

FastAPI takes the last of two parameters of one name, and of two members of one name in a body: whoever looks at a
request on its way here may take the first. Both are refused.

FastAPI reads and parses a body before it resolves any dependency. Here the caller is asked for the credential that the
endpoint declares first, then the body's type is looked at, and only then the body itself: nobody without a credential
is told what is wrong with a body.
"""

import json
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Any, get_args, get_origin

from fastapi import Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from api.http.errors import InvalidInput, UnsupportedMediaType
from api.http.groups import RouteGroup
from api.http.route_table import SCOPE_KEY
from api.security.access import ACCESS_MARK, ASK_MARK


class QueryRoute(APIRoute):
    """A route whose query parameters are given once each, but for those that take a list. Parameters that it does not
    know are none of its business."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, behind a look at the query string."""
        handle = super().get_route_handler()
        single = frozenset(single_parameters(self.dependant))
        if not single:
            return handle
        asks = [getattr(dependency.call, ASK_MARK) for dependency in accesses(self.dependant)]

        async def look_first(request: Request) -> Response:
            if b"&" in request.scope["query_string"]:
                given = Counter(name for name, _ in request.query_params.multi_items() if name in single)
                for name, times in given.most_common(1):
                    if times > 1:
                        for ask in asks:
                            await ask(request)
                        raise InvalidInput(name, "is given more than once")
            return await handle(request)

        return look_first


class BodyRoute(QueryRoute):
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
            return await handle(_StrictRequest(request.scope, request.receive))

        return ask_first


class _StrictRequest(Request):
    """Reads its body as JSON in which no object has two members of one name."""

    async def json(self) -> Any:
        """What the body holds.

        Raises:
            InvalidInput: an object in it names a member twice.
            ValueError: it is no JSON.
        """
        return json.loads(await self.body(), object_pairs_hook=_object)


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise InvalidInput("body", f"has the member {twice[:64]!a} twice")
    return found


def single_parameters(dependant: Dependant) -> Iterator[str]:
    """The names of query parameters that take one value, those of dependencies included."""
    for parameter in dependant.query_params:
        kind = parameter.field_info.annotation
        if list not in (get_origin(one) or one for one in (kind, *get_args(kind))):
            yield parameter.alias
    for dependency in dependant.dependencies:
        yield from single_parameters(dependency)


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
    group: RouteGroup = request.scope[SCOPE_KEY]
    if headers.get("content-type", "").partition(";")[0].strip().lower() not in group.body_types:
        raise UnsupportedMediaType(f"Content-Type must be {' or '.join(group.body_types)}")
