import random

import pytest

from indexer.chains.evm.tuned import occurrence
from indexer.chains.evm.tuned.occurrence import find, occurs


def test_words_are_found_at_both_ends_and_across_zero_bytes() -> None:
    for text in (b"create...", b"...create", b"\0\0create\0", b"create"):
        assert occurs(b"create", text)
    for text in (b"", b"creat", b"creat\0e", b"reate..c"):
        assert not occurs(b"create", text)
    assert occurs(b"", b"")
    assert occurs(b"a\0b", b"--a\0b--")


@pytest.mark.parametrize("without_library", [False, True])
def test_results_equal_bytes_find(monkeypatch: pytest.MonkeyPatch, without_library: bool) -> None:
    if without_library:
        monkeypatch.setattr(occurrence, "_SEARCH", None)
    draw = random.Random(7)
    for _ in range(500):
        text = bytes(draw.choices(b"ab\0", k=draw.randrange(40)))
        word = bytes(draw.choices(b"ab\0", k=draw.randrange(6)))
        start = draw.randrange(45)
        assert occurs(word, text) == (word in text)
        assert find(word, text, start) == text.find(word, start)
