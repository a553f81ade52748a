"""The classes of routes that take query parameters or a body.

FastAPI uses the last of two parameters, or of two members of a body, with the same name; a proxy in front may use the
first. Both are refused.

FastAPI reads and parses a body before it resolves dependencies. Here the credential is checked first, then the body's
media type, then the body: a caller without a credential learns nothing about a body's validity.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator, Sequence
from collections.abc import Set as AbstractSet
from decimal import Decimal
from typing import Any, ClassVar, get_args, get_origin

from fastapi import Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from api.http.errors import InvalidInput, UnsupportedMediaType
from api.http.groups import RouteGroup
from api.http.route_table import SCOPE_KEY
from api.security.access import ACCESS_MARK, ASK_MARK

_CHARSET = re.compile(r"(?:^|;)\s*charset\s*=\s*\"?([^\s;\"]+)", re.IGNORECASE)
_UTF8 = ("utf-8", "utf8", "us-ascii")


class QueryRoute(APIRoute):
    """A route that refuses a query parameter or a header of its signature given twice, unless it takes a list. Unknown
    parameters are ignored."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, after a check of the query string and the headers."""
        handle = super().get_route_handler()
        single = frozenset(single_parameters(self.dependant))
        headers = tuple(header_parameters(self.dependant))
        if not single and not headers:
            return handle
        asks = [getattr(dependency.call, ASK_MARK) for dependency in accesses(self.dependant)]

        async def look_first(request: Request) -> Response:
            twice = _given_twice(request, single, headers)
            if twice is not None:
                for ask in asks:
                    await ask(request)
                raise InvalidInput(twice, "is given more than once")
            return await handle(request)

        return look_first


def _given_twice(request: Request, parameters: AbstractSet[str], headers: Sequence[str]) -> str | None:
    """The parameter or header that a request has more than once."""
    if b"&" in request.scope["query_string"]:
        given = Counter(name for name, _ in request.query_params.multi_items() if name in parameters)
        for name, times in given.most_common(1):
            if times > 1:
                return name
    return next((name for name in headers if len(request.headers.getlist(name)) > 1), None)


class _StrictRequest(Request):
    """Reads its body as JSON and refuses objects that have two members of one name."""

    fraction: ClassVar[Callable[[str], Any]] = float

    async def json(self) -> Any:
        """What the body holds. It is UTF-8 (RFC 8259): the parser would guess UTF-16 and UTF-32 from bytes.

        Raises:
            InvalidInput: an object has a member twice.
            ValueError: it is not JSON in UTF-8.
        """
        text = (await self.body()).decode()
        return json.loads(
            text, object_pairs_hook=_object, parse_constant=_refuse_constant, parse_float=type(self).fraction
        )


class _ExactRequest(_StrictRequest):
    fraction = Decimal


class BodyRoute(QueryRoute):
    """A route with a JSON body; without a body it is a :class:`QueryRoute`."""

    request_class: ClassVar[type[Request]] = _StrictRequest

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, after checks of the credential and the body's media type."""
        handle = super().get_route_handler()
        if self.body_field is None:
            return handle
        asks = [getattr(dependency.call, ASK_MARK) for dependency in accesses(self.dependant)]

        async def ask_first(request: Request) -> Response:
            for ask in asks:
                await ask(request)
            _require_body_type(request)
            return await handle(self.request_class(request.scope, request.receive))

        return ask_first


class ExactRoute(BodyRoute):
    """A route whose body has amounts: fractions are read as decimals, so that no digit is lost."""

    request_class = _ExactRequest


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


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


def header_parameters(dependant: Dependant) -> Iterator[str]:
    """The names of the headers that a route reads, those of dependencies included."""
    for parameter in dependant.header_params:
        yield parameter.alias
    for dependency in dependant.dependencies:
        yield from header_parameters(dependency)


def accesses(dependant: Dependant) -> Iterator[Dependant]:
    """The outermost dependencies that declare access."""
    for dependency in dependant.dependencies:
        if hasattr(dependency.call, ACCESS_MARK):
            yield dependency
        else:
            yield from accesses(dependency)


def _require_body_type(request: Request) -> None:
    headers = request.headers
    if headers.get("content-length", "0") == "0" and "transfer-encoding" not in headers:
        return  # no body: validation names what is missing
    group: RouteGroup = request.scope[SCOPE_KEY]
    media_type, _, parameters = headers.get("content-type", "").partition(";")
    if media_type.strip().lower() not in group.body_types:
        raise UnsupportedMediaType(f"Content-Type: must be {' or '.join(group.body_types)}")
    if (charset := _CHARSET.search(parameters)) is not None and charset[1].lower() not in _UTF8:
        raise UnsupportedMediaType("Content-Type: the charset must be UTF-8")
