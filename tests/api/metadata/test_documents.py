"""Documents: JSON that every reader parses alike."""

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from api.http.rendering import dumps
from api.metadata.documents import DEEPEST, NotADocument, read_document, require_rules, without_invalid_members

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**66), 2**66) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b'{"name":', "cannot be read as JSON"),
        (b"[]", "must be a JSON object"),
        (b"\xff{}", "is not UTF-8"),
        (b"\xef\xbb\xbf{}", "cannot be read as JSON"),
        ('{"name":"ü"}'.encode("utf-16"), "is not UTF-8"),
        (b'{"a":1,"b":{"c":1,"c":2}}', "'c' twice"),
        (b'{"a":NaN}', "NaN is no JSON"),
        (b'{"a":1e400}', "a: has a number of more than 63 bits"),
        (b'{"a":[9223372036854775808]}', "a: has a number of more than 63 bits"),
        (b'{"a":' + b"9" * 5000 + b"}", "has a number of more than 63 bits"),
        (b'{"name":"a\\u0000b"}', "name: holds the character U\\+0000"),
        (b'{"name":"\\ud800"}', "name: holds half a character"),
        (b'{"a":' + b"[" * DEEPEST + b"]" * DEEPEST + b"}", "levels deep"),
        (b'{"a":' + b"[" * 60_000, "body: "),
    ],
)
def test_invalid_documents_name_the_member(text: bytes, problem: str) -> None:
    with pytest.raises(NotADocument, match=problem):
        read_document(text)


@settings(max_examples=200)
@given(st.dictionaries(st.text(max_size=5), JSON, max_size=4))
def test_accepted_documents_can_be_stored_and_served(value: dict[str, object]) -> None:
    try:
        sent = orjson.dumps(value)
    except TypeError:
        return  # numbers that our answers cannot hold
    try:
        found = read_document(sent)
    except NotADocument:
        assert b"0000" in sent or max(map(abs, _numbers(value)), default=0) >= 2**63
        return
    assert orjson.loads(dumps(found)) == orjson.loads(sent)
    assert "\\u0000" not in dumps(found).decode()


def _numbers(value: object) -> list[float]:
    if isinstance(value, dict | list):
        return [found for one in (value.values() if isinstance(value, dict) else value) for found in _numbers(one)]
    return [value] if isinstance(value, int | float) and value == value else []


def test_known_members_are_validated() -> None:
    require_rules({"name": "Pepe", "logoUrl": None, "twitter": "@pepe", "discord": "server/abc", "own": [1]})
    wrong: list[tuple[str, object]] = [
        ("name", 5),
        ("displayName", "x" * 101),
        ("logoUrl", "http://pepe.example/logo.png"),
        ("website", "javascript:alert(1)"),
        ("telegram", "data:text/html,x"),
        ("nsfw", "yes"),
        ("tiers", {}),
    ]
    for member, value in wrong:
        with pytest.raises(NotADocument, match=f"^{member}"):
            require_rules({member: value})
    assert without_invalid_members({**dict(wrong), "description": "kept", "own": 1}) == {
        "description": "kept",
        "own": 1,
    }
