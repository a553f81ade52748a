"""Names query parameters that a route does not have, where they resemble one that it has.

Unknown parameters are ignored, so a misspelt filter would silently filter nothing. The answer has them in a header::

    X-Unknown-Parameters: page_size; similar=pageSize, symbl; similar=symbol
"""

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import lru_cache
from typing import Final

from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

HEADER: Final = "X-Unknown-Parameters"
MAX_NAMED: Final = 3
_MAX_COMPARED = 20
_SIMILARITY = 0.75
_KNOWN: Final[dict[int, tuple[APIRoute, Mapping[bytes, str]]]] = {}
# What a header can hold as a token (RFC 9651), and no longer than any name that could resemble one of ours.
_NAME = re.compile(rb"[A-Za-z][A-Za-z0-9_.-]{0,31}")


def resembling(route: object, query_string: bytes) -> str | None:
    """The header's value for a request of a route; None if no unknown parameter resembles one of the route's."""
    if not isinstance(route, APIRoute):
        return None
    known = _known(route)
    given = dict.fromkeys(part.partition(b"=")[0] for part in query_string.split(b"&"))
    unknown = [name for name in given if name not in known and _NAME.fullmatch(name)][:_MAX_COMPARED]
    found = [(name, _closest(name.decode(), tuple(known.values()))) for name in unknown] if known else []
    named = [f"{name.decode()}; similar={similar}" for name, similar in found if similar is not None]
    return ", ".join(named[:MAX_NAMED]) or None


def _known(route: APIRoute) -> Mapping[bytes, str]:
    """The route's parameters. Routes cannot be hashed; each is kept with its names, so that its id stays its own."""
    found = _KNOWN.get(id(route))
    if found is None:
        found = _KNOWN[id(route)] = route, _read(route)
    return found[1]


def _read(route: APIRoute) -> Mapping[bytes, str]:
    declared = (route.openapi_extra or {}).get("parameters", ())
    names = [*_names(route.dependant), *(one["name"] for one in declared if one["in"] == "query")]
    return {name.encode(): name for name in names}


def _names(dependant: Dependant) -> Iterator[str]:
    yield from (parameter.alias for parameter in dependant.query_params)
    for dependency in dependant.dependencies:
        yield from _names(dependency)


@lru_cache(4_096)
def _closest(name: str, known: tuple[str, ...]) -> str | None:
    plain = {_plain(one): one for one in known}
    close = get_close_matches(_plain(name), plain, n=1, cutoff=_SIMILARITY)
    return plain[close[0]] if close else None


def _plain(name: str) -> str:
    return re.sub(r"[_.-]", "", name).lower()
