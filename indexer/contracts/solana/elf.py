"""Reads the object file that clang writes for BPF: sections, symbols and relocations of ELF64, little-endian."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

PROGBITS, SYMBOLS, RELOCATIONS = 1, 2, 9
_SECTION_HEADER = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQ")


@dataclass(frozen=True, slots=True)
class Section:
    """A section: its name, ELF type, contents, and the numbers of the sections it refers to."""

    name: str
    kind: int
    body: bytes
    link: int
    info: int


@dataclass(frozen=True, slots=True)
class Symbol:
    """A symbol: ``section`` is 0 where another file defines it, ``value`` its offset in the section."""

    name: str
    section: int
    value: int
    is_section: bool


@dataclass(frozen=True, slots=True)
class Relocation:
    """A place in a section that depends on where a symbol ends up."""

    offset: int
    kind: int
    symbol: Symbol


@dataclass(frozen=True, slots=True)
class ObjectFile:
    """A relocatable object file."""

    sections: tuple[Section, ...]

    @classmethod
    def parse(cls, data: bytes) -> "ObjectFile":
        """Read an object file.

        Raises:
            ValueError: it is no ELF64 file.
        """
        if data[:6] != b"\x7fELF\x02\x01":
            raise ValueError("not a little-endian ELF64 file")
        (table,) = struct.unpack_from("<Q", data, 0x28)
        size, count, names = struct.unpack_from("<HHH", data, 0x3A)
        headers = [_SECTION_HEADER.unpack_from(data, table + index * size) for index in range(count)]
        texts = _body(data, headers[names])
        return cls(tuple(Section(_text(texts, h[0]), h[1], _body(data, h), h[6], h[7]) for h in headers))

    def number(self, name: str) -> int:
        """The number of the section with this name."""
        return next(index for index, section in enumerate(self.sections) if section.name == name)

    def symbols(self) -> list[Symbol]:
        """All symbols."""
        table = next(section for section in self.sections if section.kind == SYMBOLS)
        texts = self.sections[table.link].body
        return [
            Symbol(_text(texts, name), section, value, info & 15 == 3)
            for name, info, _, section, value, _ in _SYMBOL.iter_unpack(table.body)
        ]

    def relocations(self, section: int) -> Iterator[Relocation]:
        """The relocations of one section."""
        symbols = self.symbols()
        for table in self.sections:
            if table.kind == RELOCATIONS and table.info == section:
                for offset, info in _RELOCATION.iter_unpack(table.body):
                    yield Relocation(offset, info & 0xFFFFFFFF, symbols[info >> 32])


def _body(data: bytes, header: tuple[int, ...]) -> bytes:
    return data[header[4] : header[4] + header[5]]


def _text(texts: bytes, offset: int) -> str:
    return texts[offset : texts.index(b"\0", offset)].decode()
