"""The list document: rows of the store as tokens, and the document around them."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from api.http.errors import InvalidInput
from api.http.times import timestamp
from api.tokenlists.records import Entry, Version
from api.tokenlists.schemas import ListedExtensions, ListedToken
from warehouse.domain.addresses import checksum_address

KEYWORDS = ("registry", "verified", "tokens")
MAX_NAME_LENGTH = 30
"""Characters of a list's name that the schema of token lists allows."""
MAX_TOKENS = 10_000
"""Tokens that the schema allows; of more, those listed longest are served."""
_VERSION = re.compile(r"(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})")
_NOT_IN_NAMES = re.compile(r"[^\w ]+")


def read_version(field: str, text: str) -> tuple[int, int, int]:
    """The numbers of a version such as 1.4.0.

    Raises:
        InvalidInput: it is not one.
    """
    found = _VERSION.fullmatch(text)
    if found is None:
        raise InvalidInput(field, "must be a version such as 1.4.0")
    major, minor, patch = (int(number) for number in found.groups())
    return major, minor, patch


def list_name(service_name: str) -> str:
    """The list's name: at most thirty letters, digits, underscores and spaces."""
    words = [*_NOT_IN_NAMES.sub(" ", service_name).split(), "Tokens"]
    return " ".join(words)[:MAX_NAME_LENGTH].strip()


def token(entry: Entry) -> dict[str, Any]:
    """An entry in its wire form."""
    found: dict[str, Any] = {
        "chainId": entry.chain_id,
        "address": checksum_address(entry.address),
        "name": entry.name,
        "symbol": entry.symbol,
        "decimals": entry.decimals,
    }
    if entry.logo_uri:
        found["logoURI"] = entry.logo_uri
    found["extensions"] = {"crownId": entry.crown_id}
    return found


def document(name: str, version: Version, tokens: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """A list in its wire form."""
    return {
        "name": name,
        "timestamp": timestamp(version.published_at),
        "version": {"major": version.major, "minor": version.minor, "patch": version.patch},
        "keywords": list(KEYWORDS),
        "tokens": list(tokens),
    }


def listed(entry: Entry) -> ListedToken:
    """An entry as a schema."""
    return ListedToken(
        chain_id=entry.chain_id,
        address=checksum_address(entry.address),
        name=entry.name,
        symbol=entry.symbol,
        decimals=entry.decimals,
        logo_uri=entry.logo_uri,
        extensions=ListedExtensions(crown_id=entry.crown_id),
    )
