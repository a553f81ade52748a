"""Search megabytes for a word with the C library.

Python's ``bytes.find`` takes four times as long over traces, because their hexadecimal digits are letters of the words
searched for, and it holds the interpreter lock meanwhile.
"""

import ctypes
from collections.abc import Callable
from typing import Any


def _searcher() -> Callable[[int, int, bytes, int], Any] | None:
    """``memmem`` of the C library this process runs on, None where it has none."""
    try:
        search = ctypes.CDLL(None).memmem
    except (OSError, AttributeError, TypeError):
        return None
    search.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t)
    search.restype = ctypes.c_void_p
    found: Callable[[int, int, bytes, int], Any] = search
    return found


_SEARCH = _searcher()


def find(word: bytes, text: bytes, start: int = 0) -> int:
    """The first position of ``word`` in ``text`` from ``start`` on, or -1, like ``bytes.find``. ``start`` is not
    negative.
    """
    if _SEARCH is None or start > len(text):
        return text.find(word, start)
    address = ctypes.cast(ctypes.c_char_p(text), ctypes.c_void_p).value or 0
    found = _SEARCH(address + start, len(text) - start, word, len(word))
    return -1 if found is None else int(found) - address


def occurs(word: bytes, text: bytes) -> bool:
    """Whether ``text`` contains ``word``; every text contains the empty word."""
    return find(word, text) >= 0
