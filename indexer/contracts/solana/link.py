"""Links one BPF object file to the shared object that Solana's loader takes (sBPF version 0).

The loader places the file at ``PROGRAM_START`` and wants: ``.text`` and ``.rodata`` at addresses equal to their offsets
in the file, calls within the program relative to their place, and calls of the runtime as relocations against names in
the dynamic symbol table. Nothing else clang writes (unwind tables, its own symbols) is kept, so the same source and the
same compiler give the same bytes.
"""

import struct
from dataclasses import dataclass, field

from indexer.contracts.solana.elf import PROGBITS, ObjectFile, Relocation

PROGRAM_START = 0x1_0000_0000
ENTRYPOINT = "entrypoint"
_LOAD_ADDRESS, _CALL = 1, 10
_ELF_HEADER, _PROGRAM_HEADER, _SECTION_HEADER = 64, 56, 64
_TEXT_AT = _ELF_HEADER + 2 * _PROGRAM_HEADER
_BPF, _SHARED_OBJECT = 247, 3
_LOAD, _DYNAMIC = 1, 2
_READ, _READ_EXECUTE = 4, 5
_DYNAMIC_TAGS = {"rel": 0x11, "rel_size": 0x12, "rel_entry": 0x13, "symbols": 6, "symbol_entry": 11, "names": 5, "names_size": 10}  # fmt: skip  # noqa: E501


class LinkError(ValueError):
    """The object file has what a program cannot have, such as writable data."""


@dataclass(slots=True)
class _Image:
    """The file as it grows."""

    data: bytearray = field(default_factory=lambda: bytearray(_TEXT_AT))

    def add(self, body: bytes) -> int:
        """Append a part, aligned to eight bytes; where it begins."""
        self.data += b"\0" * (-len(self.data) % 8)
        at = len(self.data)
        self.data += body
        return at


def link(data: bytes) -> bytes:
    """The program made of an object file.

    Raises:
        LinkError: it cannot be linked.
    """
    source = ObjectFile.parse(data)
    text_number = source.number(".text")
    text = bytearray(source.sections[text_number].body)
    constants, places = _read_only_data(source, _TEXT_AT + len(text) + -len(text) % 8)
    calls = _resolve(source, text_number, text, places)
    names = list(dict.fromkeys(name for _, name in calls))
    image = _Image()
    image.add(bytes(text))
    constants_at = image.add(constants)
    symbols, texts = _dynamic_symbols(names)
    symbols_at, texts_at = image.add(symbols), image.add(texts)
    relocations = b"".join(
        struct.pack("<QQ", _TEXT_AT + offset, (names.index(name) + 1) << 32 | _CALL) for offset, name in calls
    )
    relocations_at = image.add(relocations)
    values = (relocations_at, len(relocations), 16, symbols_at, 24, texts_at, len(texts))
    dynamic = b"".join(map(struct.Struct("<QQ").pack, _DYNAMIC_TAGS.values(), values)) + bytes(16)
    dynamic_at = image.add(dynamic)
    end = len(image.data)
    sections = [
        _Header(".text", 1, 6, _TEXT_AT, len(text)),
        _Header(".rodata", 1, 2, constants_at, len(constants)),
        _Header(".dynsym", 11, 2, symbols_at, len(symbols), link=4, info=1, entry=24),
        _Header(".dynstr", 3, 2, texts_at, len(texts)),
        _Header(".rel.dyn", 9, 2, relocations_at, len(relocations), link=3, entry=16),
        _Header(".dynamic", 6, 3, dynamic_at, len(dynamic), link=4, entry=16),
    ]
    table_at, count = _add_section_headers(image, sections)
    entry = next((s.value for s in source.symbols() if s.name == ENTRYPOINT and s.section == text_number), None)
    if entry is None:
        raise LinkError(f"no function {ENTRYPOINT}")
    image.data[:_ELF_HEADER] = b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + struct.pack(
        "<HHIQQQIHHHHHH", _SHARED_OBJECT, _BPF, 1, _TEXT_AT + entry, _ELF_HEADER, table_at, 0,
        _ELF_HEADER, _PROGRAM_HEADER, 2, _SECTION_HEADER, count, count - 1,
    )  # fmt: skip
    image.data[_ELF_HEADER:_TEXT_AT] = _program_header(
        _LOAD, _READ_EXECUTE, _TEXT_AT, symbols_at - _TEXT_AT, 0x1000
    ) + _program_header(_DYNAMIC, 6, dynamic_at, end - dynamic_at, 8)
    return bytes(image.data)


def _read_only_data(source: ObjectFile, begins: int) -> tuple[bytes, dict[int, int]]:
    """All constants one after the other, and the address of each section's part."""
    found, places = bytearray(), {}
    for number, section in enumerate(source.sections):
        if section.kind == PROGBITS and section.name.startswith(".rodata"):
            found += b"\0" * (-len(found) % 8)
            places[number] = PROGRAM_START + begins + len(found)
            found += section.body
        elif section.name.startswith((".data", ".bss")) and section.body:
            raise LinkError(f"section {section.name}: a program has no writable data")
    return bytes(found), places


def _resolve(source: ObjectFile, number: int, text: bytearray, places: dict[int, int]) -> list[tuple[int, str]]:
    """Fill in addresses and calls within the program; the calls of the runtime that are left, by offset."""
    calls = []
    for one in source.relocations(number):
        if one.kind == _LOAD_ADDRESS and one.symbol.section in places:
            _load_address(text, one, places[one.symbol.section])
        elif one.kind == _CALL and one.symbol.section == number:
            _call_within(text, one)
        elif one.kind == _CALL and one.symbol.section == 0:
            text[one.offset + 1] = text[one.offset + 1] & 0x0F | 0x10
            struct.pack_into("<i", text, one.offset + 4, -1)
            calls.append((one.offset, one.symbol.name))
        else:
            raise LinkError(f"relocation {one.kind} of {one.symbol.name or 'a section'} at {one.offset:#x}")
    return calls


def _load_address(text: bytearray, one: Relocation, base: int) -> None:
    (addend,) = struct.unpack_from("<I", text, one.offset + 4)
    address = base + one.symbol.value + addend
    struct.pack_into("<I", text, one.offset + 4, address & 0xFFFFFFFF)
    struct.pack_into("<I", text, one.offset + 12, address >> 32)


def _call_within(text: bytearray, one: Relocation) -> None:
    """A call counts in instructions of eight bytes from the one after it. Of a symbol that stands for a whole section
    the instruction holds the rest of the way."""
    (given,) = struct.unpack_from("<i", text, one.offset + 4)
    target = one.symbol.value // 8 + (given + 1 if one.symbol.is_section else 0)
    struct.pack_into("<i", text, one.offset + 4, target - one.offset // 8 - 1)


def _dynamic_symbols(names: list[str]) -> tuple[bytes, bytes]:
    symbols, texts = bytearray(24), bytearray(1)
    for name in names:
        symbols += struct.pack("<IBBHQQ", len(texts), 0x10, 0, 0, 0, 0)
        texts += name.encode() + b"\0"
    return bytes(symbols), bytes(texts)


@dataclass(frozen=True, slots=True)
class _Header:
    name: str
    kind: int
    flags: int
    at: int
    size: int
    link: int = 0
    info: int = 0
    entry: int = 0

    def pack(self, name_at: int, address: int) -> bytes:
        return struct.pack(
            "<IIQQQQIIQQ", name_at, self.kind, self.flags, address, self.at, self.size, self.link, self.info, 8,
            self.entry,
        )  # fmt: skip


def _add_section_headers(image: _Image, sections: list[_Header]) -> tuple[int, int]:
    """Append the names and headers of the sections; where the headers begin, and how many there are."""
    texts = bytearray(1)
    offsets = []
    for name in (*(section.name for section in sections), ".shstrtab"):
        offsets.append(len(texts))
        texts += name.encode() + b"\0"
    own = _Header(".shstrtab", 3, 0, image.add(bytes(texts)), len(texts))
    packed = [bytes(_SECTION_HEADER), *(s.pack(at, s.at) for s, at in zip(sections, offsets, strict=False))]
    return image.add(b"".join([*packed, own.pack(offsets[-1], 0)])), len(sections) + 2


def _program_header(kind: int, flags: int, at: int, size: int, alignment: int) -> bytes:
    return struct.pack("<IIQQQQQQ", kind, flags, at, at, at, size, size, alignment)
