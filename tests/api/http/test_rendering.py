"""Figures as JSON numbers: what a client's double keeps is all that is written."""

from decimal import Decimal

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.http.rendering import dumps

FIGURES = st.decimals(allow_nan=False, allow_infinity=False, min_value=Decimal("-1e60"), max_value=Decimal("1e60"))


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("2043.959245624182277510853666109865876942", b"2043.95924562418"),
        ("0.000000000000000000123456789012345678", b"0.000000000000000000123456789012346"),
        ("123456789012345678.123456", b"123456789012346000"),
        ("999999999999999.95", b"1000000000000000"),
        ("25.00", b"25"),
        ("1E-8", b"0.00000001"),
        ("1E+3", b"1000"),
        ("-0.0", b"0"),
    ],
)
def test_a_figure_has_at_most_fifteen_significant_digits(value: str, written: bytes) -> None:
    assert dumps(Decimal(value)) == written


@given(FIGURES)
def test_a_figure_survives_a_double(value: Decimal) -> None:
    written = dumps(value)
    digits = written.replace(b".", b"").lstrip(b"-0").rstrip(b"0")
    assert len(digits) <= 15
    read = orjson.loads(written)
    assert Decimal(f"{read:.15g}") == Decimal(written.decode())
    assert abs(Decimal(written.decode()) - value) <= abs(value) * Decimal("5e-15")


def test_a_figure_that_is_not_finite_is_refused() -> None:
    with pytest.raises(TypeError):
        dumps(Decimal("NaN"))
