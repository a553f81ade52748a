"""The fields of a sign-in message of any chain's wallet."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from api.auth.grammar import Malformed, moment


@dataclass(frozen=True, slots=True)
class SignIn:
    """The fields of a sign-in message as written; times are text, so nothing that was signed is lost. ``resources`` is
    None if the message has no list of them."""

    domain: str
    address: str
    scheme: str | None = None
    statement: str | None = None
    uri: str | None = None
    version: str | None = None
    chain: str | None = None
    nonce: str | None = None
    issued_at: str | None = None
    expiration_time: str | None = None
    not_before: str | None = None
    request_id: str | None = None
    resources: tuple[str, ...] | None = None


FIELDS: tuple[tuple[str, str], ...] = (
    ("URI", "uri"),
    ("Version", "version"),
    ("Chain ID", "chain"),
    ("Nonce", "nonce"),
    ("Issued At", "issued_at"),
    ("Expiration Time", "expiration_time"),
    ("Not Before", "not_before"),
    ("Request ID", "request_id"),
)
"""The labelled lines in order, with their fields."""
RESOURCES = "Resources:"
_BULLET = "- "


def read_fields(lines: list[str]) -> dict[str, Any]:
    """The labelled lines of a message, each at most once and in their order.

    Raises:
        Malformed: a line has no label, a label that is not known, or one out of order.
    """
    found: dict[str, Any] = {}
    index = 0
    for number, line in enumerate(lines):
        if line == RESOURCES:
            rest = lines[number + 1 :]
            if any(not entry.startswith(_BULLET) for entry in rest):
                raise Malformed(f"{RESOURCES} must be the last part, each resource on a line that begins with '- '")
            found["resources"] = tuple(entry.removeprefix(_BULLET) for entry in rest)
            break
        while index < len(FIELDS) and not line.startswith(f"{FIELDS[index][0]}: "):
            index += 1
        if index == len(FIELDS):
            raise Malformed(f"{line[:40]!r} is unexpected: a line is missing, out of order or unknown")
        label, name = FIELDS[index]
        found[name] = line[len(label) + 2 :]
        index += 1
    return found


def write_fields(message: SignIn) -> list[str]:
    """The labelled lines of a message."""
    lines = [f"{label}: {getattr(message, name)}" for label, name in FIELDS if getattr(message, name) is not None]
    if message.resources is not None:
        lines += [RESOURCES, *(f"{_BULLET}{entry}" for entry in message.resources)]
    return lines


def times(message: SignIn) -> dict[str, datetime]:
    """The times of the message by label.

    Raises:
        Malformed: a value is not a valid time.
    """
    named: dict[str, datetime] = {}
    for label, text in (
        ("Issued At", message.issued_at),
        ("Expiration Time", message.expiration_time),
        ("Not Before", message.not_before),
    ):
        if text is not None:
            named[label] = checked(label, text)
    return named


def checked(label: str, text: str) -> datetime:
    """The time on the line ``label``."""
    try:
        return moment(text)
    except Malformed as error:
        raise Malformed(f"{label} {error}") from error
