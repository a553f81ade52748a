"""Checks test vectors of EIP-4361: messages that are read, refused, or verify.

    python -m tests.api.auth.sign_in_vectors DIRECTORY

DIRECTORY has the six files of the published vectors (folder ``test`` of https://github.com/spruceid/siwe); ours, in the
same format, are in ``tests/api/auth/vectors``. Prints one line for each file and the cases that fail.
"""

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from api.auth import grammar, rules, siwe
from api.auth.grammar import Malformed
from api.auth.messages import SignIn
from api.auth.rules import ServiceUrls
from api.http.errors import InvalidInput
from api.security.signatures import recover, signed_digest

OWN: Final = Path(__file__).with_name("vectors")
_NAMES: Final = {
    "chainId": "chain",
    "issuedAt": "issued_at",
    "expirationTime": "expiration_time",
    "notBefore": "not_before",
    "requestId": "request_id",
}
_FIELDS: Final = frozenset(SignIn.__dataclass_fields__)


class Refused(ValueError):
    """The case is refused; the message says why."""


def message_of(fields: dict[str, Any]) -> SignIn:
    """The message that a case describes by its fields; what is missing is empty or None."""
    named = {_NAMES.get(name, name): value for name, value in fields.items()}
    given = {name: value for name, value in named.items() if name in _FIELDS and value is not None}
    if "chain" in given:
        given["chain"] = str(given["chain"])
    if "resources" in given:
        given["resources"] = tuple(given["resources"])
    return SignIn(**{"domain": "", "address": "", **given})


def read_text(text: str) -> None:
    """Read a text.

    Raises:
        Refused: it is not a message.
    """
    try:
        siwe.read(text)
    except Malformed as error:
        raise Refused(str(error)) from error


def read_exactly(case: dict[str, Any]) -> None:
    """Read a text and compare its fields with the case's; an empty list of resources is the same as none.

    Raises:
        Refused: it is not a message, or says something else.
    """
    read_text(case["message"])
    found, expected = siwe.read(case["message"]), message_of(case["fields"])
    if replace(found, resources=found.resources or None) != replace(expected, resources=expected.resources or None):
        raise Refused(f"read as {found}, not {expected}")


def read_object(case: dict[str, Any]) -> None:
    """Check a message that is given as fields.

    Raises:
        Refused: it breaks a rule of the format.
    """
    try:
        siwe.check(message_of(case))
    except Malformed as error:
        raise Refused(str(error)) from error


def verify(case: dict[str, Any]) -> None:
    """Verify a signed message as the sign-in does: form, domain, URI, times, nonce, signature.

    Args:
        case: may name the time at which to verify, the domain and the nonce that are expected.

    Raises:
        Refused: the message does not verify.
    """
    message = message_of(case)
    text = siwe.write(message)
    read_text(text)
    site = f"https://{case.get('domainBinding', message.domain)}"
    now = grammar.moment(case["time"]) if "time" in case else datetime.now(UTC)
    try:
        rules.check(message, ServiceUrls.of(site, message.uri or site), now)
    except InvalidInput as error:
        raise Refused(str(error)) from error
    if case.get("matchNonce", message.nonce) != message.nonce:
        raise Refused("the nonce is another")
    try:
        signature = bytes.fromhex(case["signature"].removeprefix("0x"))
    except ValueError as error:
        raise Refused("the signature is not hexadecimal") from error
    if recover(signed_digest(text), signature) != message.address.lower():
        raise Refused("the signature is another wallet's")


def read_of_contract(case: dict[str, Any]) -> None:
    """Read a message that a contract wallet signed; only its chain can verify it.

    Raises:
        Refused: it is not a message, or the wallet's own key signed it.
    """
    read_text(case["message"])
    signature = bytes.fromhex(case["signature"].removeprefix("0x"))
    if recover(signed_digest(case["message"]), signature) == siwe.read(case["message"]).address.lower():
        raise Refused("the wallet's own key signed it")


CHECKS: Final[dict[str, tuple[Callable[[Any], None], bool]]] = {
    "parsing_positive": (read_exactly, True),
    "parsing_negative": (read_text, False),
    "parsing_negative_objects": (read_object, False),
    "verification_positive": (verify, True),
    "verification_negative": (verify, False),
    "eip1271": (read_of_contract, True),
}
"""For each file, the check of its cases and whether they pass it."""


def cases(directory: Path) -> Iterator[tuple[str, str, Any]]:
    """File, name and content of every case."""
    for file in CHECKS:
        for name, case in json.loads((directory / f"{file}.json").read_text()).items():
            yield file, name, case


def failure_of(file: str, case: Any) -> str | None:
    """How a case fails; None if it has the outcome that its file says."""
    check, passes = CHECKS[file]
    try:
        check(case)
    except Refused as error:
        return str(error) if passes else None
    return None if passes else "is accepted"


def main(directory: Path) -> int:
    """Check all cases and print the outcome; returns the number of cases that fail."""
    counts = dict.fromkeys(CHECKS, 0)
    failures = []
    for file, name, case in cases(directory):
        counts[file] += 1
        if (failure := failure_of(file, case)) is not None:
            failures.append(f"{file}: {name}: {failure}")
    for file, count in counts.items():
        print(f"{file}: {count} cases")
    print(*failures, f"{sum(counts.values())} cases, {len(failures)} failures", sep="\n")
    return len(failures)


if __name__ == "__main__":
    sys.exit(min(main(Path(sys.argv[1])), 1))
