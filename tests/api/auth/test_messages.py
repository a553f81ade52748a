"""Parsing sign-in messages: a message is unambiguous or refused."""

import dataclasses
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.auth import grammar, rules, siwe, siws
from api.auth.grammar import Malformed
from api.auth.messages import SignIn
from api.http.errors import InvalidInput
from warehouse.chains.facts import load
from warehouse.domain.chains import Chains

ETHEREUM = SignIn(
    domain="crowns.example",
    address="0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    statement="I accept the terms: https://crowns.example/terms?v=2",
    uri="https://crowns.example/login",
    version="1",
    chain="8453",
    nonce="aG3kT9wQ0rX5",
    issued_at="2026-01-31T12:00:00.000Z",
    expiration_time="2026-01-31T12:10:00Z",
    not_before="2026-01-31T13:00:00+01:00",
    request_id="request-7",
    resources=("https://crowns.example/terms", "ipfs://bafy/file.json"),
)
SOLANA = dataclasses.replace(
    ETHEREUM, address="4Nd1mYQzvgvFqjhpJJyYzuTEbWGzHJJLwCoDHLZbqLyN", chain="mainnet", statement="Grüß Gott: sign in"
)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"statement": None},
        {"scheme": "https"},
        {"domain": "localhost:3000"},
        {"domain": "[2001:db8::7]:3000"},
        {"domain": "me@127.0.0.1"},
        {"uri": "https://[2001:db8::7]:3000/a;b?c=%20#d"},
        {"uri": "urn:isbn:0451450523"},
        {"resources": None},
        {"resources": ()},
        {"expiration_time": None, "not_before": None, "request_id": None, "resources": None},
        {"issued_at": "2026-01-31t12:00:00.123456789z"},
    ],
)
def test_ethereum_messages_are_parsed(changes: dict[str, Any]) -> None:
    message = dataclasses.replace(ETHEREUM, **changes)
    assert siwe.read(siwe.write(message)) == message


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"domain": ""}, "domain must be"),
        ({"domain": "a b"}, "domain must be"),
        ({"domain": "[::g]"}, "domain must be"),
        ({"domain": "[:::]"}, "domain must have an IPv6 address"),
        ({"scheme": ""}, "the scheme"),
        ({"scheme": "1http"}, "the scheme"),
        ({"address": ETHEREUM.address.lower()}, "the address"),
        ({"address": ETHEREUM.address[:-1]}, "the address"),
        ({"statement": "two\nlines"}, "the statement must be one line"),
        ({"statement": 'a "quoted" word'}, "the statement has characters"),
        ({"statement": "naïve"}, "the statement has characters"),
        ({"uri": None}, "URI is missing"),
        ({"uri": "crowns.example/login"}, "URI must be a URI"),
        ({"uri": "https://crowns.example/a b"}, "URI must be a URI"),
        ({"uri": "https://crowns.example/%zz"}, "URI must be a URI"),
        ({"version": "01"}, "Version must be 1"),
        ({"chain": "0x1"}, "Chain ID"),
        ({"chain": "٣"}, "Chain ID"),
        ({"nonce": "short"}, "Nonce"),
        ({"nonce": "with-a-dash"}, "Nonce"),
        ({"issued_at": None}, "Issued At is missing"),
        ({"issued_at": "2026-01-31"}, "Issued At must be"),
        ({"issued_at": "2026-01-31T24:00:00Z"}, "Issued At names"),
        ({"issued_at": "2026-01-31T12:00:00"}, "Issued At must be"),
        ({"not_before": "2026-01-31T12:00:00+24:00"}, "Not Before has an invalid offset"),
        ({"expiration_time": "0001-01-01T00:00:00+23:59"}, "Expiration Time names"),
        ({"request_id": "a/b"}, "Request ID"),
        ({"resources": ("nowhere",)}, "a resource must be a URI"),
    ],
)
def test_invalid_ethereum_messages_name_the_rule(changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(Malformed, match=f"^{problem}"):
        siwe.read(siwe.write(dataclasses.replace(ETHEREUM, **changes)))


TEXT = siwe.write(ETHEREUM)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        TEXT + "\n",
        " " + TEXT,
        TEXT.replace("\n", "\r\n"),
        TEXT.replace("Ethereum", "Solana"),
        TEXT.replace("\n\nURI", "\nURI"),
        TEXT.replace("\nVersion: 1", "\nVersion: 1\nVersion: 1"),
        TEXT.replace("\nNonce: ", "\nnonce: "),
        TEXT.replace("Chain ID: 8453\nNonce: aG3kT9wQ0rX5", "Nonce: aG3kT9wQ0rX5\nChain ID: 8453"),
        TEXT.replace("\nRequest ID:", "\nExtra: 1\nRequest ID:"),
        TEXT + "\nRequest ID: 8",
        TEXT.replace("- ipfs", "* ipfs"),
        TEXT.replace("Resources:", "Resources: "),
    ],
)
def test_other_text_is_not_an_ethereum_message(text: str) -> None:
    with pytest.raises(Malformed):
        siwe.read(text)


READERS: dict[str, tuple[Callable[[str], SignIn], Callable[[SignIn], str], SignIn]] = {
    "Ethereum": (siwe.read, siwe.write, ETHEREUM),
    "Solana": (siws.read, siws.write, SOLANA),
}


@pytest.mark.parametrize("kind", READERS)
@given(data=st.data())
def test_a_changed_character_changes_the_message_or_invalidates_it(kind: str, data: st.DataObject) -> None:
    read, write, original = READERS[kind]
    whole = write(original)
    place = data.draw(st.integers(0, len(whole)))
    inserted = data.draw(st.text(st.characters(max_codepoint=0x2FF, exclude_categories=["Cs"]), max_size=2))
    text = whole[:place] + inserted + whole[place + data.draw(st.integers(0, 2)) :]
    try:
        message = read(text)
    except Malformed:
        return
    assert write(message) == text
    assert (message == original) == (text == whole)


OPTIONAL = (
    *("uri", "version", "chain", "nonce", "issued_at", "expiration_time", "not_before"),
    *("request_id", "resources"),
)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"statement": None},
        dict.fromkeys(OPTIONAL),
        dict.fromkeys(("statement", *OPTIONAL)),
        {"uri": None, "version": None},
        {"resources": ()},
    ],
)
def test_solana_messages_are_parsed(changes: dict[str, Any]) -> None:
    message = dataclasses.replace(SOLANA, **changes)
    assert siws.read(siws.write(message)) == message


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"domain": "a b"}, "domain must be"),
        ({"address": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"}, "the address"),
        ({"address": "1" * 31}, "the address"),
        ({"statement": ""}, "the statement|an empty line"),
        ({"statement": "two\nlines"}, "the statement"),
        ({"statement": "a\u2028b"}, "the statement"),
        ({"version": "2"}, "Version must be 1"),
        ({"nonce": "short"}, "Nonce"),
        ({"uri": "nowhere"}, "URI must be a URI"),
        ({"issued_at": "yesterday"}, "Issued At must be"),
        # A statement that looks like a line of the message would give a second nonce.
        ({"statement": "Nonce: aaaaaaaaaaaa"}, "'' is unexpected"),
    ],
)
def test_invalid_solana_messages_name_the_rule(changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(Malformed, match=f"^(?:{problem})"):
        siws.read(siws.write(dataclasses.replace(SOLANA, **changes)))


def test_times_are_read_in_any_time_zone() -> None:
    noon = datetime(2026, 1, 31, 12, tzinfo=UTC)
    for text in ("2026-01-31T12:00:00Z", "2026-01-31T13:30:00+01:30", "2026-01-31t04:00:00.0000000001-08:00"):
        assert grammar.moment(text) == noon
    assert grammar.moment("2026-01-31T12:00:00.5Z").microsecond == 500_000


@pytest.mark.parametrize(
    ("caip2", "accepted", "refused"),
    [
        ("solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", "solana:mainnet", "devnet"),
        ("solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1", "solana:devnet", "mainnet"),
        ("solana:9Vk5LbgQ8cKjM1tZhYx3wF2dRnS7eAuB", "localnet", "mainnet"),
    ],
)
def test_a_solana_message_may_name_the_cluster_that_is_served(caip2: str, accepted: str, refused: str) -> None:
    known = load(None).by_key
    chains = Chains({**known, "solana": dataclasses.replace(known["solana"], caip2=caip2)})
    for name in (None, accepted, caip2, "900900"):
        rules.require_solana_chain(dataclasses.replace(SOLANA, chain=name), chains)
    for name in (refused, "solana", "8453"):
        with pytest.raises(InvalidInput, match="Chain ID must be"):
            rules.require_solana_chain(dataclasses.replace(SOLANA, chain=name), chains)
