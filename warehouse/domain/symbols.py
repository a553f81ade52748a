"""Symbols: their keys, confusable characters, deletion forms for near matches, and what can be searched or registered.

The pipelines build the search tables with these functions and the API queries them, so both agree on what is similar.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations

# Look-alikes after upper-casing, by the character that represents their class. I includes L, 1 and |, which look alike
# in many typefaces; O includes zero; S includes 5.
_CLASSES = {
    "A": "АΑᎪꓮ",
    "B": "ВΒᏴꓐ",
    "C": "СϹᏟꓚ",
    "D": "ᎠꓓÐĐ",
    "E": "ЕΕᎬꓰ",
    "F": "Ϝꓝ",
    "G": "Ꮐꓖ",
    "H": "НΗᎻꓧ",
    "I": "1L|ІӀΙƖꓲꞁŁ∣ǀ",
    "J": "ЈᎫꓙͿ",
    "K": "КΚᏦꓗ",
    "M": "МΜᎷꓟ",
    "N": "ΝꓠИ",
    "O": "0ОΟՕꓳØΘ",
    "P": "РΡᏢꓑ",
    "Q": "Ԛ",
    "R": "ᎡꓣƦ",
    "S": "5ЅᏚꓢ§",
    "T": "ТΤᎢꓔ₮Ŧ",
    "U": "ՍꓴЏ",
    "V": "ѴᏙꓦ",
    "W": "ԜᎳꓪ",
    "X": "ХΧꓫ",
    "Y": "УҮΥꓬ",
    "Z": "ΖᏃꓜ",
}
_FOLD = str.maketrans({lookalike: letter for letter, others in _CLASSES.items() for lookalike in others})
_INVISIBLE = frozenset({"Cf", "Cc", "Zs", "Zl", "Zp"})
_SHORT = 7

MAX_SEARCHABLE_LENGTH = 20
SEARCHABLE_PATTERN = f"[A-Za-z0-9]{{1,{MAX_SEARCHABLE_LENGTH}}}"
"""Symbols that can be searched and looked up."""
MAX_REGISTRABLE_LENGTH = 12
REGISTRABLE_PATTERN = f"[A-Z0-9]{{1,{MAX_REGISTRABLE_LENGTH}}}"
"""Symbols that can be registered, upper-cased."""
_REGISTRABLE = re.compile(REGISTRABLE_PATTERN)


def symbol_key(text: str) -> str:
    """The key a symbol is searched and registered by: trimmed and upper-cased, otherwise as written."""
    return text.strip().upper()


def is_registrable_symbol(text: str) -> bool:
    """Whether a symbol has the form of one that can be registered, once upper-cased: 1 to 12 of A-Z and 0-9, not digits
    only."""
    symbol = text.upper()
    return text.isascii() and bool(_REGISTRABLE.fullmatch(symbol)) and not symbol.isdecimal()


@lru_cache(maxsize=65536)
def fold(text: str) -> str:
    """``text`` with confusable characters folded together: full-width forms, diacritics, invisible characters,
    Cyrillic and Greek look-alikes, digits that pass for letters, and a ticker's leading dollar sign. Equal folds
    mean confusable symbols."""
    if text.isascii() and text.isalnum():  # as most are: nothing to decompose
        return text.upper().translate(_FOLD)
    decomposed = unicodedata.normalize("NFKD", text.upper())
    visible = "".join(
        character
        for character in decomposed
        if not unicodedata.combining(character) and unicodedata.category(character) not in _INVISIBLE
    )
    # Last: what stood before the dollar sign may have been invisible.
    return visible.lstrip("$").upper().translate(_FOLD)


def fold_plain(texts: Sequence[str]) -> list[str]:
    """:func:`fold` of many texts at once, all of them ASCII letters and digits."""
    return "\n".join(texts).upper().translate(_FOLD).split("\n") if texts else []


def deletion_edits(folded: str) -> int:
    """How many characters the stored forms of a symbol lack at most: two, or one below seven characters."""
    return 1 if len(folded) < _SHORT else 2


def deletion_forms(folded: str, edits: int) -> frozenset[str]:
    """Every form left when up to ``edits`` characters are removed, the whole text included.

    Two texts within an edit distance d share a form of d deletions, so a set lookup finds the candidates; the
    caller confirms the distance. The empty form is left out: it would match everything short.
    """
    forms = {folded}
    for removed in range(1, min(edits, len(folded) - 1) + 1):
        for kept in combinations(folded, len(folded) - removed):
            forms.add("".join(kept))
    return frozenset(form for form in forms if form)
