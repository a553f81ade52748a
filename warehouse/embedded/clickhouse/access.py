"""The server's two users: the owner, and the analyst, who reads.

The analyst's statements run with ``readonly = 1`` and with limits that a statement cannot lift. The engine's read-only
mode still allows reading local files, reaching other hosts and killing statements: these are refused by name before
the engine sees them.
"""

import secrets
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Container, Mapping
from dataclasses import dataclass
from enum import Enum

from .errors import ClickHouseError, denied
from .statements import READS, tokens

ANALYST_SECONDS = 60
ANALYST_LIMITS: Mapping[str, str] = {
    "max_execution_time": str(ANALYST_SECONDS),
    "max_memory_usage": str(2 << 30),
    "max_threads": "2",
    "max_result_bytes": str(2 << 30),
    "allow_introspection_functions": "0",
}
# Settings that an analyst's client may send. Others are ignored, so that clients which always send some still work.
_ANALYST_SETTINGS = frozenset(
    {
        "date_time_output_format",
        "extremes",
        "join_use_nulls",
        "max_result_rows",
        "result_overflow_mode",
        "session_timezone",
    }
)
_ANALYST_PREFIXES = ("output_format_",)
# Table functions that touch neither files nor hosts.
_HARMLESS = frozenset(
    {
        "format", "fuzzjson", "fuzzquery", "generate_series", "generaterandom", "generateseries", "merge", "null",
        "numbers", "numbers_mt", "primes", "sqlstandardvalues", "values", "view", "viewexplain", "viewifpermitted",
        "zeros", "zeros_mt", "mergetreeindex", "mergetreeprojection",
    }
)  # fmt: skip
# Those of them that name tables in text.
_NAMING_TABLES = frozenset({"merge", "mergetreeindex", "mergetreeprojection", "viewifpermitted", "hascolumnintable"})
_FORBIDDEN_SCALARS = frozenset({"file", "catboostevaluate", "getclienthttpheader", "sleep", "sleepeachrow"})
PRIVATE_TABLES = frozenset(
    {
        "backups", "completions", "errors", "named_collections", "processes", "query_cache", "query_log",
        "query_thread_log", "session_log", "text_log", "user_processes", "user_query_log", "users", "warnings",
    }
)  # fmt: skip
"""Tables of ``system`` that tell what others run or where they write."""


class Role(Enum):
    """Who sends a request."""

    OWNER = "owner"
    ANALYST = "analyst"


@dataclass(frozen=True, slots=True)
class Users:
    """The passwords and names of both users.

    A password may not be empty: any user or web page of the machine reaches a loopback port.
    """

    owner_password: str
    analyst_password: str
    owner_names: tuple[str, ...] = ("default",)
    analyst_name: str = "analyst"
    analyst_database: str = ""
    """Where the analyst's statements run unless a request names another database; empty: in the server's own."""
    analyst_sees: str = ""
    """Regular expression of the databases that the analyst sees and reads; empty: all."""

    def __post_init__(self) -> None:
        """Refuse empty passwords."""
        if not self.owner_password or not self.analyst_password:
            raise ValueError("the server needs passwords")


def authenticate(headers: Mapping[str, str], parameters: Mapping[str, str], users: Users) -> Role:
    """The role of the request's credentials.

    Raises:
        ClickHouseError: the password is wrong or the user is unknown.
    """
    user, key = _credentials(headers, parameters)
    role = Role.ANALYST if user == users.analyst_name else Role.OWNER
    expected = users.analyst_password if role is Role.ANALYST else users.owner_password
    right = secrets.compare_digest(key.encode(), expected.encode())
    if not right or (role is Role.OWNER and user not in users.owner_names):
        message = f"{user}: Authentication failed: password is incorrect, or there is no user with such name."
        raise ClickHouseError(516, "AUTHENTICATION_FAILED", message)
    return role


def check_databases(sql: bytes, hidden: Container[str]) -> None:
    """Refuse a statement that names one of the hidden databases, or could without saying so.

    Raises:
        ClickHouseError: it does.
    """
    name = previous = ""
    for token in tokens(sql):
        text = token.text.strip(b'`"').decode("utf-8", "replace") if token.kind in ("word", "quoted") else ""
        if token.text == b"." and name in hidden:
            raise denied(f"analyst: database {name} is not open to analysts")
        if token.text == b"(" and name.lower() in _NAMING_TABLES:
            raise denied(f"analyst: function {name.lower()} is not allowed")
        if previous == ":" and text == "Identifier":
            raise denied("analyst: parameters cannot be identifiers")
        name, previous = text, token.text.decode("utf-8", "replace")


def _credentials(headers: Mapping[str, str], parameters: Mapping[str, str]) -> tuple[str, str]:
    if "x-clickhouse-user" in headers or "x-clickhouse-key" in headers:
        return headers.get("x-clickhouse-user", "default"), headers.get("x-clickhouse-key", "")
    scheme, _, encoded = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "basic":
        try:
            user, _, key = b64decode(encoded, validate=True).decode().partition(":")
        except (Base64Error, UnicodeDecodeError):
            return "default", ""
        return user or "default", key
    return parameters.get("user") or "default", parameters.get("password", "")


def analyst_settings(asked: Mapping[str, str]) -> dict[str, str]:
    """The settings of an analyst's statement: the harmless ones of the request, then the limits."""
    kept = {
        name: value for name, value in asked.items() if name in _ANALYST_SETTINGS or name.startswith(_ANALYST_PREFIXES)
    }
    limits = dict(ANALYST_LIMITS)
    seconds = asked.get("max_execution_time", "")
    if seconds.isdigit() and 0 < int(seconds) < ANALYST_SECONDS:
        limits["max_execution_time"] = seconds
    return {**kept, **limits}


def check_analyst(sql: bytes, table_functions: frozenset[str]) -> None:
    """Refuse what an analyst may not run. ``table_functions`` are the engine's, lower-cased.

    Raises:
        ClickHouseError: the statement does something else than read tables.
    """
    forbidden = (table_functions - _HARMLESS) | _FORBIDDEN_SCALARS
    first = True
    before = name = ""
    for token in tokens(sql):
        if first:
            first = False
            if token.upper not in READS:
                raise denied("analyst: only reading statements are allowed")
        if token.kind == "other" and token.text[0] >= 0x80:
            # The engine accepts typographic quotes: refuse text that could be read in two ways.
            raise denied("analyst: characters outside ASCII are only allowed within quotes")
        if token.kind == "quoted" and b"\\" in token.text:
            raise denied("analyst: quoted names cannot hold backslashes")
        if token.text == b"(" and name in forbidden:
            raise denied(f"analyst: function {name} is not allowed")
        if token.text == b"." and name:
            before, name = name, ""
            continue
        is_name = token.kind in ("word", "quoted")
        name = token.text.strip(b'`"').decode("utf-8", "replace").lower() if is_name else ""
        if before == "system" and name in PRIVATE_TABLES:
            raise denied(f"analyst: system.{name} is not allowed")
        before = ""
