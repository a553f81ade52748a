"""Sign-In with Ethereum messages (EIP-4361), read by the letter of its grammar.

What ``read`` accepts has one reading: writing its fields down again gives the same text.
"""

import re
from collections.abc import Callable

from eth_utils.address import to_checksum_address

from api.auth import grammar
from api.auth.grammar import Malformed
from api.auth.messages import SignIn, read_fields, times, write_fields

ASKS = " wants you to sign in with your Ethereum account:"
VERSION = "1"
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+\-.]*")
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")
_STATEMENT = re.compile(r"[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;= ]+")
_CHAIN = re.compile(r"[0-9]{1,32}")
_NONCE = re.compile(r"[A-Za-z0-9]{8,}")
_REQUIRED = (
    ("URI", "uri"),
    ("Version", "version"),
    ("Chain ID", "chain"),
    ("Nonce", "nonce"),
    ("Issued At", "issued_at"),
)


def read(text: str) -> SignIn:
    """The fields of a message.

    Raises:
        Malformed: the text breaks a rule of the format; says which.
    """
    lines = text.split("\n")
    if not lines[0].endswith(ASKS):
        raise Malformed(f"the first line must end with {ASKS.strip()!r}")
    scheme, separator, domain = lines[0].removesuffix(ASKS).rpartition("://")
    if len(lines) < 5 or lines[2] != "":
        raise Malformed("an empty line must follow the address")
    statement = lines[3] or None
    rest = lines[4:] if statement is None else lines[5:]
    if statement is not None and lines[4] != "":
        raise Malformed("the statement must be one line with an empty line after it")
    fields = read_fields(rest)
    message = SignIn(
        domain=domain,
        address=lines[1],
        scheme=scheme if separator else None,
        statement=statement,
        **fields,
    )
    check(message)
    if write(message) != text:
        raise Malformed("the message is not written as EIP-4361 has it")
    return message


def write(message: SignIn) -> str:
    """The text of a message, as wallets show and sign it."""
    before = "" if message.scheme is None else f"{message.scheme}://"
    statement = "" if message.statement is None else f"{message.statement}\n"
    head = f"{before}{message.domain}{ASKS}\n{message.address}\n\n{statement}\n"
    return head + "\n".join(write_fields(message))


def check(message: SignIn) -> None:
    """Check every field against the grammar.

    Raises:
        Malformed: one breaks it; says which.
    """
    for label, name in _REQUIRED:
        if getattr(message, name) is None:
            raise Malformed(f"{label} is missing")
    if message.scheme is not None and not _SCHEME.fullmatch(message.scheme):
        raise Malformed("the scheme before the domain must be letters, digits, '+', '-' or '.'")
    _of("domain", grammar.authority, message.domain)
    if not _ADDRESS.fullmatch(message.address) or to_checksum_address(message.address) != message.address:
        raise Malformed("the address must be 0x and 40 hexadecimal digits with the checksum of EIP-55")
    if message.statement is not None and not _STATEMENT.fullmatch(message.statement):
        raise Malformed("the statement has characters that EIP-4361 does not allow in it")
    _of("URI", grammar.uri, message.uri)
    if message.version != VERSION:
        raise Malformed("Version must be 1")
    if not _CHAIN.fullmatch(message.chain or ""):
        raise Malformed("Chain ID must be decimal digits")
    if not _NONCE.fullmatch(message.nonce or ""):
        raise Malformed("Nonce must be at least 8 letters or digits")
    times(message)
    if message.request_id is not None and not grammar.is_pchars(message.request_id):
        raise Malformed("Request ID has characters that EIP-4361 does not allow in it")
    for resource in message.resources or ():
        _of("a resource", grammar.uri, resource)


def _of(label: str, rule: Callable[[str], object], text: str | None) -> None:
    try:
        rule(text or "")
    except Malformed as error:
        raise Malformed(f"{label} {error}") from error
