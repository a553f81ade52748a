"""Hostile and broken answers of tokens are made safe."""

import unicodedata

import pytest
from eth_abi.abi import encode
from hypothesis import given
from hypothesis import strategies as st

from indexer.chains.evm.metadata import decode_text
from indexer.chains.text import SYMBOL_CHARACTERS, clean_text


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (b"USDC", "USDC"),
        ("naïve ☕".encode(), "naïve ☕"),
        (b"A\x00B\x07C", "ABC"),
        ("RTL\u202eevil".encode(), "RTLevil"),
        ("zero\u200bwidth".encode(), "zerowidth"),
        (b"two\n\n  words\t", "two words"),
        (b"bad \xff\xfe", "bad \ufffd\ufffd"),
        (b"", ""),
        (b"x" * 10_000, "x" * SYMBOL_CHARACTERS),
    ],
)
def test_text_is_safe_to_display(raw: bytes, shown: str) -> None:
    assert clean_text(raw, SYMBOL_CHARACTERS) == shown


@given(st.binary(max_size=600))
def test_any_bytes_give_safe_text(raw: bytes) -> None:
    text = clean_text(raw, SYMBOL_CHARACTERS)
    assert len(text) <= SYMBOL_CHARACTERS
    assert text == text.strip()
    assert all(unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co", "Cn") for char in text)
    text.encode("utf-8")


@given(st.text(max_size=80))
def test_abi_strings_are_decoded(text: str) -> None:
    assert decode_text(encode(["string"], [text])) == text.encode()


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (b"MKR".ljust(32, b"\0"), b"MKR"),
        (b"", b""),
        (b"\x01", b""),
        (bytes(32), b""),
        ((2**255).to_bytes(32, "big") + bytes(32), b""),  # the string lies far outside
        ((32).to_bytes(32, "big") + (2**200).to_bytes(32, "big"), b""),  # and is longer than the answer
        ((32).to_bytes(32, "big") + bytes(32), b""),
    ],
)
def test_short_words_and_garbage(answer: bytes, text: bytes) -> None:
    assert decode_text(answer) == text
