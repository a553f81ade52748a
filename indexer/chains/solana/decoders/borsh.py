"""Borsh, as instructions and accounts of metadata are written: little-endian, texts and lists after their length."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(slots=True)
class Borsh:
    """Reads values one after the other.

    Raises:
        ValueError: the data end before the value does, or an option is neither absent nor present.
    """

    data: bytes
    at: int = 0

    def take(self, size: int) -> bytes:
        """The next bytes."""
        end = self.at + size
        if end > len(self.data):
            raise ValueError(f"{size} bytes expected, {len(self.data) - self.at} left")
        taken, self.at = self.data[self.at : end], end
        return taken

    def number(self, size: int) -> int:
        """An unsigned integer of so many bytes."""
        return int.from_bytes(self.take(size), "little")

    def text(self) -> bytes:
        """A text, not decoded: anything may be written there."""
        return self.take(self.number(4))

    def key(self) -> bytes:
        """An address."""
        return self.take(32)

    def option(self, read: Callable[[], T]) -> T | None:
        """A value that may be absent."""
        given = self.number(1)
        if given > 1:
            raise ValueError(f"{given} begins no option")
        return read() if given else None
