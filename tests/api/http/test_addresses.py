"""Address and symbol checks."""

from typing import Any, cast

import pyarrow as pa
from hypothesis import example, given
from hypothesis import strategies as st

from api.http.addresses import are_registrable
from warehouse.domain.symbols import is_registrable_symbol

_NEARLY = st.text(st.sampled_from("aZ09ſß ①-\n\0"), max_size=14)


@given(st.lists(st.one_of(_NEARLY, st.text(max_size=14))))
@example(["PEPE", "pepe", "123", "", "ABCDEFGHIJKLM", "ſ", "ı", "A\n", "1A"])
def test_a_column_of_symbols_is_checked_like_each_symbol(symbols: list[str]) -> None:
    column = cast(Any, pa).chunked_array([cast(Any, pa).array(symbols, cast(Any, pa).string())])
    assert are_registrable(column).to_pylist() == [is_registrable_symbol(symbol) for symbol in symbols]
