"""The parameters of a search, read strictly: every refusal names the field and the rule."""

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from api.http.cursors import InvalidCursor
from api.http.errors import InvalidInput
from api.http.fields import read_chain, read_symbol
from api.http.pages import DEFAULT_PAGE_SIZE, MAX_PAGE, MAX_PAGE_SIZE
from api.search.ranking import STATUS_FILTERS
from warehouse.domain.chains import Chain, Chains
from warehouse.domain.symbols import SEARCHABLE_PATTERN

ALL = "all"
"""The value of `chain` and `status` that filters nothing."""

# Sort key on the wire -> the column it compares, and whether a larger column value means a smaller sort value.
SORT_COLUMNS: Mapping[str, tuple[str, bool]] = {
    "relevance": ("market_score", False),
    "volume": ("volume_24h_usd", False),
    "market_cap": ("market_cap_usd", False),
    "age": ("deployed_at", True),
    "holders": ("holders", False),
    "price": ("price_usd", False),
    "liquidity": ("liquidity_usd", False),
    "name": ("name", False),
    "heartbeatScore": ("heartbeat_score", False),
    "tokenRank": ("token_rank", False),
    "deployedAt": ("deployed_at", False),
    "claimedAt": ("registered_at", False),
    "createdAt": ("first_seen_at", False),
    "txns24h": ("transactions_24h", False),
    "priceChange1h": ("price_change_1h", False),
    "priceChange6h": ("price_change_6h", False),
    "priceChange24h": ("price_change_24h", False),
}
ORDERS = ("asc", "desc")
INCLUDES = ("apps", "widgets")
MAX_CURSOR_LENGTH = 512
_INTEGER = re.compile(r"-?[0-9]{1,18}")
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """A valid search."""

    symbol: str
    chain: Chain | None = None
    status: str | None = None
    page: int = 1
    page_size: int = DEFAULT_PAGE_SIZE
    refresh: bool = False
    exact: bool = False
    crowns_only: bool = False
    include_inactive: bool = False
    sort: str = "relevance"
    order: str = "desc"
    explain: bool = False
    with_apps: bool = False
    cursor: str | None = None

    @property
    def list_key(self) -> tuple[object, ...]:
        """What determines the results and their order."""
        chain = self.chain.key if self.chain else None
        return (
            self.symbol,
            chain,
            self.status,
            self.exact,
            self.crowns_only,
            self.include_inactive,
            self.sort,
            self.order,
        )

    @property
    def answer_key(self) -> tuple[object, ...]:
        """What determines the answer."""
        return (*self.list_key, self.page, self.page_size, self.explain, self.with_apps, self.cursor)

    @property
    def fingerprint(self) -> str:
        """A short hash of the list, with which a cursor recognises its own list."""
        return hashlib.sha256(repr(self.list_key).encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A query parameter as OpenAPI describes it."""

    name: str
    description: str
    schema: Mapping[str, Any]
    example: Any = None
    required: bool = False

    def openapi(self) -> dict[str, Any]:
        """The parameter object."""
        described: dict[str, Any] = {
            "name": self.name, "in": "query", "required": self.required, "description": self.description,
            "schema": dict(self.schema),
        }  # fmt: skip
        if self.example is not None:
            described["example"] = self.example
        return described


PARAMETERS: tuple[Parameter, ...] = (
    Parameter(
        "symbol", "Symbol to search for, in any case.",
        {"type": "string", "minLength": 1, "maxLength": 20, "pattern": f"^{SEARCHABLE_PATTERN}$"},
        "PEPE", required=True,
    ),
    Parameter(
        "chain", "Only this chain: its key, an alias or a chain id; or `all`.",
        {"type": "string", "default": ALL}, "base",
    ),
    Parameter(
        "status", "Only this registration status; `claimed` includes `grace_period` and `owned`; or `all`.",
        {"type": "string", "enum": [ALL, *STATUS_FILTERS], "default": ALL},
    ),
    Parameter(
        "page", "Page number, of the newest state.",
        {"type": "integer", "minimum": 1, "maximum": MAX_PAGE, "default": 1},
    ),
    Parameter(
        "pageSize", "Results per page.",
        {"type": "integer", "minimum": 1, "maximum": MAX_PAGE_SIZE, "default": DEFAULT_PAGE_SIZE},
    ),
    Parameter(
        "cursor", "`pagination.nextCursor` of the page before, with the same other parameters and without `page`. "
        "The pages of a cursor show one published state, so no result is skipped or repeated while data change. "
        "Valid for ten minutes from the first page.", {"type": "string", "maxLength": MAX_CURSOR_LENGTH},
    ),
    Parameter(
        "refresh", "Read the warehouse again instead of the cache.", {"type": "boolean", "default": False},
    ),
    Parameter("exact", "Only tokens of exactly this symbol.", {"type": "boolean", "default": False}),
    Parameter("crownsOnly", "Only results that have a registration.", {"type": "boolean", "default": False}),
    Parameter(
        "includeInactive", "Include registrations that decayed to `inactive`; `status=inactive` implies it.",
        {"type": "boolean", "default": False},
    ),
    Parameter(
        "sort", "What to order by. Unknown values come last in either order; ties are in order of relevance.",
        {"type": "string", "enum": list(SORT_COLUMNS), "default": "relevance"}, "volume",
    ),
    Parameter("order", "Direction of the sort.", {"type": "string", "enum": list(ORDERS), "default": "desc"}),
    Parameter(
        "include", "Add the apps of its page to each registered result; both values do the same.",
        {"type": "string", "enum": list(INCLUDES)},
    ),
    Parameter("explain", "Add the terms of its rank to each result.", {"type": "boolean", "default": False}),
)  # fmt: skip
_NAMES = frozenset(parameter.name for parameter in PARAMETERS)


def read_query(text: str, chains: Chains) -> SearchQuery:
    """The query string as a search.

    Raises:
        InvalidInput: a parameter is missing, given twice or invalid; the message names it and the rule.
    """
    given: dict[str, str] = {}
    for name, value in parse_qsl(text, keep_blank_values=True):
        if name in given and name in _NAMES:
            raise InvalidInput(name, "is given more than once")
        given[name] = value
    cursor = given.get("cursor")
    if cursor is not None:
        if "page" in given:
            raise InvalidInput("page", "cannot be given together with cursor")
        if not 0 < len(cursor) <= MAX_CURSOR_LENGTH:
            raise InvalidCursor
    return SearchQuery(
        symbol=_symbol(given.get("symbol")),
        chain=_read(given, "chain", None, lambda value, _: None if value == ALL else read_chain(chains, value)),
        status=_read(given, "status", None, _status),
        page=_read(given, "page", 1, lambda value, name: _integer(value, name, MAX_PAGE)),
        page_size=_read(given, "pageSize", DEFAULT_PAGE_SIZE, lambda value, name: _integer(value, name, MAX_PAGE_SIZE)),
        refresh=_read(given, "refresh", False, _boolean),
        exact=_read(given, "exact", False, _boolean),
        crowns_only=_read(given, "crownsOnly", False, _boolean),
        include_inactive=_read(given, "includeInactive", False, _boolean),
        sort=_read(given, "sort", "relevance", lambda value, name: _choice(value, name, tuple(SORT_COLUMNS))),
        order=_read(given, "order", "desc", lambda value, name: _choice(value, name, ORDERS)),
        explain=_read(given, "explain", False, _boolean),
        with_apps=_read(given, "include", False, lambda value, name: bool(_choice(value, name, INCLUDES))),
        cursor=cursor,
    )


def _read(given: Mapping[str, str], name: str, default: Any, read: Callable[[str, str], Any]) -> Any:
    return default if name not in given else read(given[name], name)


def _symbol(text: str | None) -> str:
    if text is None:
        raise InvalidInput("symbol", "is required")
    return read_symbol("symbol", text)


def _choice(value: str, name: str, choices: tuple[str, ...]) -> str:
    if value not in choices:
        raise InvalidInput(name, f"must be one of {', '.join(choices)}")
    return value


def _status(value: str, name: str) -> str | None:
    return None if _choice(value, name, (ALL, *STATUS_FILTERS)) == ALL else value


def _integer(value: str, name: str, most: int) -> int:
    if not (_INTEGER.fullmatch(value) and 1 <= int(value) <= most):
        raise InvalidInput(name, f"must be a whole number from 1 to {most}")
    return int(value)


def _boolean(value: str, name: str) -> bool:
    if value not in _BOOLEANS:
        raise InvalidInput(name, "must be true or false")
    return _BOOLEANS[value]
