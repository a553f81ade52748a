import string

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from warehouse.domain.symbols import deletion_edits, deletion_forms, fold, fold_plain, symbol_key


def distance(one: str, other: str) -> int:
    """Levenshtein distance."""
    row = list(range(len(other) + 1))
    for at, left in enumerate(one, 1):
        before, row[0] = row[0], at
        for to, right in enumerate(other, 1):
            before, row[to] = row[to], min(row[to] + 1, row[to - 1] + 1, before + (left != right))
    return row[-1]


@pytest.mark.parametrize(
    ("lookalike", "symbol"),
    [
        ("РЕРЕ", "PEPE"), ("pepe", "PEPE"), ("ＵＳＤＣ", "USDC"), ("U5DC", "USDC"), ("USD\u0421", "USDC"),
        ("L1NK", "LINK"), ("|INK", "LINK"), ("Ηex", "HEX"), ("D0GE", "DOGE"), ("DÖGE", "DOGE"), ("$PEPE", "PEPE"),
        ("PE\u200bPE", "PEPE"), (" PEPE ", "PEPE"),
    ],
)  # fmt: skip
def test_lookalikes_fold_together(lookalike: str, symbol: str) -> None:
    assert fold(lookalike) == fold(symbol)


@pytest.mark.parametrize(("one", "other"), [("PEPE", "PEPA"), ("USDC", "USDT"), ("DOGE", "DODGE"), ("ETH", "WETH")])
def test_different_symbols_stay_apart(one: str, other: str) -> None:
    assert fold(one) != fold(other)


@given(st.text(max_size=30))
@example("\x08$LUMEN")
@example("$\u2028LUMEN")
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text(max_size=30))
def test_a_key_folds_like_its_text(text: str) -> None:
    assert fold(symbol_key(text)) == fold(text)


@given(st.lists(st.text(string.ascii_letters + string.digits, max_size=12)))
def test_fold_plain_equals_fold_of_each(texts: list[str]) -> None:
    assert fold_plain(texts) == [fold(text) for text in texts]


@given(st.text(max_size=30))
def test_case_does_not_matter(text: str) -> None:
    assert fold(symbol_key(text)) == fold(text)


@given(st.text("ABCDEFGH", min_size=2, max_size=12), st.text("ABCDEFGH", min_size=2, max_size=12), st.integers(1, 2))
def test_texts_within_a_distance_share_a_form(one: str, other: str, edits: int) -> None:
    if distance(one, other) <= edits:
        assert deletion_forms(one, edits) & deletion_forms(other, edits) or min(len(one), len(other)) <= edits


def test_short_symbols_lose_one_character_long_ones_two() -> None:
    assert deletion_edits("PEPE") == 1
    assert deletion_edits("BITCOIN") == 2
    assert deletion_forms("ABC", 1) == {"ABC", "AB", "AC", "BC"}
    assert deletion_forms("A", 1) == {"A"}
    assert deletion_forms("", 1) == frozenset()
