"""Names and symbols that tokens give themselves, made safe to display."""

import unicodedata

NAME_CHARACTERS, SYMBOL_CHARACTERS = 128, 64


def clean_text(raw: bytes, longest: int) -> str:
    """Text that is safe to display: valid UTF-8, no control or direction characters, single spaces, bounded length."""
    decoded = raw[: 8 * longest].decode("utf-8", "replace")
    kept = "".join(" " if char.isspace() else char for char in decoded if char.isspace() or _harmless(char))
    return " ".join(kept.split())[:longest].rstrip()


def _harmless(char: str) -> bool:
    # Cc control, Cf format (direction overrides, zero width), Cs lone surrogates, Co private use, Cn unassigned.
    return unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co", "Cn")
