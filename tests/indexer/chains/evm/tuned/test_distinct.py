"""Distinct values of columns, as arrays and as lists."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.chains.evm.tuned import distinct as module
from indexer.chains.evm.tuned.distinct import distinct

columns = st.sampled_from([20, 32]).flatmap(
    lambda width: st.lists(st.binary(min_size=width, max_size=width) | st.just(b"\0" * width), max_size=40)
)


@given(columns)
def test_values_codes_and_first_rows(values: list[bytes]) -> None:
    width = len(values[0]) if values else 20
    array = np.frombuffer(b"".join(values), np.uint8).reshape(len(values), width)
    for column in (array, values):
        keys, codes, first = distinct(column)
        assert [keys[code] for code in codes] == values
        assert sorted(keys) == sorted(set(values))
        assert [values.index(key) for key in keys] == first.tolist()


def test_values_with_the_same_hash_are_distinguished(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_FACTORS", np.zeros(5, np.uint64))
    array = np.arange(60, dtype=np.uint8).reshape(3, 20)
    keys, codes, first = distinct(array)
    assert (keys, codes.tolist(), first.tolist()) == ([row.tobytes() for row in array], [0, 1, 2], [0, 1, 2])
