"""Sign-In with Solana messages: the text of the wallet standard's ``solana:signIn``.

Of its fields only domain and address are always there; the fields that this service also requires are checked with the
others (``api/auth/rules.py``).
"""

import re
import unicodedata

from api.auth import grammar
from api.auth.grammar import Malformed
from api.auth.messages import SignIn, read_fields, times, write_fields
from warehouse.domain.addresses import is_base58_address

ASKS = " wants you to sign in with your Solana account:"
VERSION = "1"
_NONCE = re.compile(r"[A-Za-z0-9]{8,}")
_FIRST_LABELS = re.compile(
    r"(?:URI|Version|Chain ID|Nonce|Issued At|Expiration Time|Not Before|Request ID): .*|Resources:"
)


def read(text: str) -> SignIn:
    """The fields of a message.

    Raises:
        Malformed: the text breaks a rule of the format; says which.
    """
    lines = text.split("\n")
    if len(lines) < 2 or not lines[0].endswith(ASKS):
        raise Malformed(f"the first line must end with {ASKS.strip()!r}")
    statement, rest = _parts(lines[2:])
    fields = read_fields(rest)
    message = SignIn(domain=lines[0].removesuffix(ASKS), address=lines[1], statement=statement, **fields)
    _check(message)
    if write(message) != text:
        raise Malformed("the message is not written as Sign-In with Solana has it")
    return message


def write(message: SignIn) -> str:
    """The text of a message, as wallets show and sign it."""
    parts = [f"{message.domain}{ASKS}\n{message.address}"]
    if message.statement is not None:
        parts.append(message.statement)
    if lines := write_fields(message):
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _parts(lines: list[str]) -> tuple[str | None, list[str]]:
    """The statement and the labelled lines; an empty line precedes each part."""
    if not lines:
        return None, []
    if lines[0] != "" or len(lines) < 2:
        raise Malformed("an empty line must follow the address")
    # A statement that looks like a labelled line is parsed as one, so that a message has one meaning.
    if _FIRST_LABELS.fullmatch(lines[1]):
        return None, lines[1:]
    if len(lines) == 2:
        return lines[1], []
    if lines[2] != "":
        raise Malformed("the statement must be one line with an empty line after it")
    return lines[1], lines[3:]


def _check(message: SignIn) -> None:
    try:
        grammar.authority(message.domain)
    except Malformed as error:
        raise Malformed(f"domain {error}") from error
    if not is_base58_address(message.address):
        raise Malformed("the address must be 32 bytes in base58")
    if message.statement is not None and (
        not message.statement
        or any(unicodedata.category(character) in ("Cc", "Zl", "Zp") for character in message.statement)
    ):
        raise Malformed("the statement must be one line of text")
    if message.version not in (None, VERSION):
        raise Malformed("Version must be 1")
    if message.nonce is not None and not _NONCE.fullmatch(message.nonce):
        raise Malformed("Nonce must be at least 8 letters or digits")
    times(message)
    if message.request_id is not None and not grammar.is_pchars(message.request_id):
        raise Malformed("Request ID has characters that are not allowed in it")
    for label, text in (("URI", message.uri), *(("a resource", entry) for entry in message.resources or ())):
        if text is not None:
            try:
                grammar.uri(text)
            except Malformed as error:
                raise Malformed(f"{label} {error}") from error
