"""Metadata documents: JSON objects that everyone reads alike, and that the store can keep.

Members that the service shows have rules (``MetadataDocument``); all others are the author's own.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from api.metadata.schemas import MetadataDocument

DEEPEST = 32
_LARGEST = 2**63
"""Beyond it numbers are not the same to all who read them."""


class NotADocument(ValueError):
    """Bytes that are no metadata document. ``field`` is the member that is wrong, or ``body``."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field
        self.problem = problem


def read_document(data: bytes) -> dict[str, Any]:
    """The object that the bytes hold: UTF-8, no member twice, text without NUL, numbers of at most 63 bits, at most
    ``DEEPEST`` levels.

    Raises:
        NotADocument: they hold something else.
    """
    try:
        found = json.loads(
            data.decode("utf-8"), object_pairs_hook=_object, parse_constant=_no_constant, parse_int=_integer
        )
    except NotADocument:
        raise
    except UnicodeDecodeError as error:
        raise NotADocument("body", "is not UTF-8") from error
    except RecursionError as error:
        raise NotADocument("body", f"is nested more than {DEEPEST} levels deep") from error
    except ValueError as error:
        raise NotADocument("body", "cannot be read as JSON") from error
    if not isinstance(found, dict):
        raise NotADocument("body", "must be a JSON object")
    _require_plain(found, "body", 1)
    return found


def require_rules(document: Mapping[str, Any]) -> None:
    """Check the members that the service shows.

    Raises:
        NotADocument: names the first invalid one.
    """
    try:
        MetadataDocument.model_validate(document)
    except ValidationError as error:
        first = error.errors()[0]
        text = str(first["msg"]).removeprefix("Value error, ")
        raise NotADocument(".".join(map(str, first["loc"])) or "body", text[:1].lower() + text[1:]) from error


def without_invalid_members(document: Mapping[str, Any]) -> dict[str, Any]:
    """A document without the members that the service would show and that do not keep to the rules: one that was
    written elsewhere is worth reading for the others."""
    try:
        MetadataDocument.model_validate(document)
    except ValidationError as error:
        wrong = {problem["loc"][0] for problem in error.errors() if problem["loc"]}
        return {name: value for name, value in document.items() if name not in wrong}
    return dict(document)


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise NotADocument("body", f"has the member {twice[:64]!a} twice")
    return found


def _no_constant(name: str) -> Any:
    raise NotADocument("body", f"{name} is no JSON")


def _integer(digits: str) -> int:
    if len(digits) > 20:
        raise NotADocument("body", "has a number of more than 63 bits")
    return int(digits)


def _require_plain(value: Any, field: str, depth: int) -> None:
    if isinstance(value, str):
        if "\0" in value:
            raise NotADocument(field, "holds the character U+0000")
        if any("\ud800" <= one <= "\udfff" for one in value):
            raise NotADocument(field, "holds half a character (a lone surrogate)")
    elif isinstance(value, int | float):
        if not -_LARGEST < value < _LARGEST:
            raise NotADocument(field, "has a number of more than 63 bits")
    elif isinstance(value, dict | list):
        if depth > DEEPEST:
            raise NotADocument("body", f"is nested more than {DEEPEST} levels deep")
        inner = value.items() if isinstance(value, dict) else enumerate(value)
        for name, one in inner:
            within = field if depth > 1 else (name if isinstance(name, str) and name.isidentifier() else "body")
            _require_plain(name, "body", depth + 1)
            _require_plain(one, within, depth + 1)
