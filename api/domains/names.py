"""Normalises domain names that owners write to lower-case ASCII (IDNA 2008, UTS 46)."""

import re
from functools import cache

import idna
from publicsuffixlist import PublicSuffixList

from api.http.errors import InvalidInput

MAX_DOMAIN_LENGTH = 211
"""Characters. The name of its TXT record adds a first label and may have 253."""
_MAX_INPUT_LENGTH = 253
# The last label of an IPv4 address in any form that browsers accept, such as 127.1 or 0x7f000001.
_NUMBER = re.compile(r"\d+|0x[0-9a-f]*")
# Top-level names where nobody can register domains (RFC 6761, 6762, 7686, 9476, and names for private use).
_SPECIAL = frozenset({"alt", "arpa", "internal", "invalid", "local", "localhost", "onion"})


def read_domain(field: str, text: str) -> str:
    """The domain in its stored form, below a public suffix and not one itself.

    Raises:
        InvalidInput: not a domain name, an address, too long, or a name that nobody can register.
    """
    if len(text) > _MAX_INPUT_LENGTH:
        raise InvalidInput(field, f"must be at most {MAX_DOMAIN_LENGTH} characters")
    try:
        domain = idna.encode(text, uts46=True, std3_rules=True).decode("ascii").lower().removesuffix(".")
    except UnicodeError as error:  # idna raises subclasses of it
        raise InvalidInput(field, "must be a domain name such as pepe.example, without scheme, port or path") from error
    if len(domain) > MAX_DOMAIN_LENGTH:
        raise InvalidInput(field, f"must be at most {MAX_DOMAIN_LENGTH} characters in its ASCII form")
    last = domain.rpartition(".")[2]
    if _NUMBER.fullmatch(last):
        raise InvalidInput(field, "must be a name, not an address")
    if last in _SPECIAL:
        raise InvalidInput(field, f"ends in .{last}, where domains cannot be registered")
    if _suffixes().privatesuffix(domain) is None:
        raise InvalidInput(field, "must be below a public suffix, not one itself")
    return domain


@cache
def _suffixes() -> PublicSuffixList:
    """The public suffix list as of the package's release. An unknown suffix counts as one label, so new top-level
    domains work before the package is updated."""
    return PublicSuffixList()
