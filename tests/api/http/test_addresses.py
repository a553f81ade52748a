"""Address and symbol checks."""

import re
from typing import Any, cast

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from api.http.addresses import are_registrable, chain_address, wallet_address
from api.http.errors import InvalidInput
from warehouse.chains.facts import load
from warehouse.domain.symbols import is_registrable_symbol

_NEARLY = st.text(st.sampled_from("aZ09ſß ①-\n\0"), max_size=14)


@given(st.lists(st.one_of(_NEARLY, st.text(max_size=14))))
@example(["PEPE", "pepe", "123", "", "ABCDEFGHIJKLM", "ſ", "ı", "A\n", "1A"])
def test_a_column_of_symbols_is_checked_like_each_symbol(symbols: list[str]) -> None:
    column = cast(Any, pa).chunked_array([cast(Any, pa).array(symbols, cast(Any, pa).string())])
    assert are_registrable(column).to_pylist() == [is_registrable_symbol(symbol) for symbol in symbols]


EVM, SOLANA = "0x" + "ab" * 20, "So11111111111111111111111111111111111111112"
CHAINS = load(None).by_key


def test_an_address_is_read_as_its_chain_writes_it() -> None:
    assert chain_address("token", EVM.upper().replace("X", "x"), CHAINS["base"]) == EVM
    assert chain_address("token", SOLANA, CHAINS["solana"]) == SOLANA
    assert wallet_address("wallet", EVM) == EVM
    assert wallet_address("wallet", SOLANA) == SOLANA


@pytest.mark.parametrize(
    ("text", "chain", "problem"),
    [
        (EVM, "solana", "token: is an EVM address; on Solana it must be 32 bytes in base58"),
        (SOLANA, "base", "token: is a Solana address; on Base it must be 0x and 40 hexadecimal digits"),
        (SOLANA[:-1], "solana", "token: must be 32 bytes in base58"),
        (SOLANA.replace("o", "0"), "solana", "token: must be 32 bytes in base58"),
        (SOLANA.upper(), "solana", "token: must be 32 bytes in base58"),
        (f" {SOLANA}", "solana", "token: must be 32 bytes in base58"),
        ("ſ" + SOLANA[1:], "solana", "token: must be 32 bytes in base58"),
        ("", "solana", "token: must be 32 bytes in base58"),
        ("0xab", "base", "token: must be 0x and 40 hexadecimal digits"),
    ],
)
def test_a_refused_address_names_the_rule_of_its_chain(text: str, chain: str, problem: str) -> None:
    with pytest.raises(InvalidInput, match=re.escape(problem)):
        chain_address("token", text, CHAINS[chain])


def test_a_wallet_of_neither_kind_names_both_rules() -> None:
    with pytest.raises(InvalidInput, match=r"wallet: must be 0x and 40 .* or 32 bytes in base58"):
        wallet_address("wallet", "nobody")
