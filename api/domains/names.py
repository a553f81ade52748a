"""Domain names as owners write them, turned into the one form that is kept: ASCII in lower case (IDNA 2008, UTS 46)."""

import re
from functools import cache

import idna
from publicsuffixlist import PublicSuffixList

from api.http.errors import InvalidInput

MAX_DOMAIN_LENGTH = 211
"""Characters: with the longest first label before it, the name of its TXT record has the 253 that a name may have."""
_MAX_INPUT_LENGTH = 253
# The last label of what is an address to browsers, however it is written: 127.1, 0x7f000001.
_NUMBER = re.compile(r"\d+|0x[0-9a-f]*")
# Names that cannot be owned on the Internet (RFC 6761, 6762, 7686, 9476, and what is set aside for private use).
_SPECIAL = frozenset({"alt", "arpa", "internal", "invalid", "local", "localhost", "onion"})


def read_domain(field: str, text: str) -> str:
    """The domain in its stored form, below a public suffix and not one itself.

    Raises:
        InvalidInput: not a domain name, an address, too long, or a name that cannot be owned.
    """
    if len(text) > _MAX_INPUT_LENGTH:
        raise InvalidInput(field, f"must be at most {MAX_DOMAIN_LENGTH} characters")
    try:
        domain = idna.encode(text, uts46=True, std3_rules=True).decode("ascii").lower().removesuffix(".")
    except UnicodeError as error:  # idna's errors are of this kind
        raise InvalidInput(field, "must be a domain name such as pepe.example, without scheme, port or path") from error
    if len(domain) > MAX_DOMAIN_LENGTH:
        raise InvalidInput(field, f"must be at most {MAX_DOMAIN_LENGTH} characters in its ASCII form")
    last = domain.rpartition(".")[2]
    if _NUMBER.fullmatch(last):
        raise InvalidInput(field, "must be a name, not an address")
    if last in _SPECIAL:
        raise InvalidInput(field, f"ends in .{last}, below which names cannot be owned")
    if _suffixes().privatesuffix(domain) is None:
        raise InvalidInput(field, "must be below a public suffix, not one itself")
    return domain


@cache
def _suffixes() -> PublicSuffixList:
    """The package's list of its release date. An unknown suffix counts as one label, so new top-level domains are
    served before the package is renewed."""
    return PublicSuffixList()
