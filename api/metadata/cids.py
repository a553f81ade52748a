"""Content identifiers (CIDs): IPFS names for bytes, which anyone can verify from the bytes.

Up to one chunk (262,144 bytes) is named by its hash. More is split into chunks under a root node with at most 174 links
a node: the UnixFS file that ``ipfs add --cid-version=1 --raw-leaves`` makes.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from multiformats import CID, varint

CHUNK_BYTES = 262_144
MAX_LINKS = 174
MAX_TEXT_LENGTH = 128
# The digits of bases that a path can hold: base 64 without "url" has the slash.
_TEXT = re.compile(r"[A-Za-z0-9_=+-]+")
_HASH = "sha2-256"
# The UnixFS type of a file, and tags of the two protocol buffers: field number and wire type in one byte.
_FILE = 2
_UNIXFS_TYPE, _UNIXFS_FILE_BYTES, _UNIXFS_BLOCK_BYTES = b"\x08", b"\x18", b"\x20"
_LINK_CID, _LINK_NAME, _LINK_BYTES = b"\x0a", b"\x12", b"\x18"
_NODE_DATA, _NODE_LINK = b"\x0a", b"\x12"


@dataclass(frozen=True, slots=True)
class _Node:
    """A block to link: its CID, the file bytes below it, and the bytes of all blocks below it."""

    cid: CID
    file_bytes: int
    stored_bytes: int


def cid_of(data: bytes) -> str:
    """The CID of bytes, in base 32."""
    return str(_root([_leaf(chunk) for chunk in _chunks(data)]).cid)


def read_cid(text: str) -> CID | None:
    """Parse a CID, in base 32 if it has version 1. None if the text is not a CID or uses an unknown codec or hash.

    A CID can be written in several bases. ``str`` of the result is the form that contents are stored under.
    """
    if len(text) > MAX_TEXT_LENGTH or not _TEXT.fullmatch(text):
        return None
    try:
        found = CID.decode(text)
        return found.set(base="base32") if found.version == 1 else found
    except (ValueError, LookupError):  # raised by the decoders of bases, codecs and hashes
        return None


def has_content(cid: CID, data: bytes) -> bool | None:
    """Whether a CID names the bytes; None if unknown, because the CID may be for other chunks."""
    if str(cid) == cid_of(data):
        return True
    is_one_block = cid.version == 1 and cid.codec.name == "raw" and cid.hashfun.name == _HASH
    return False if is_one_block and cid.raw_digest != hashlib.sha256(data).digest() else is_one_block or None


def _chunks(data: bytes) -> Iterator[memoryview]:
    view = memoryview(data)
    for start in range(0, max(1, len(data)), CHUNK_BYTES):
        yield view[start : start + CHUNK_BYTES]


def _leaf(chunk: memoryview) -> _Node:
    return _Node(_named("raw", chunk), len(chunk), len(chunk))


def _root(nodes: Sequence[_Node]) -> _Node:
    """Add layers of nodes above the leaves until one node is left; all leaves have the same depth."""
    while len(nodes) > 1:
        nodes = [_parent(nodes[start : start + MAX_LINKS]) for start in range(0, len(nodes), MAX_LINKS)]
    return nodes[0]


def _parent(children: Sequence[_Node]) -> _Node:
    file_bytes = sum(child.file_bytes for child in children)
    unixfs = b"".join(
        (
            _UNIXFS_TYPE + varint.encode(_FILE),
            _UNIXFS_FILE_BYTES + varint.encode(file_bytes),
            *(_UNIXFS_BLOCK_BYTES + varint.encode(child.file_bytes) for child in children),
        )
    )
    # DAG-PB writes links before data, although links have the higher field number, and gives each link an empty name.
    block = b"".join((*(_field(_NODE_LINK, _link(child)) for child in children), _field(_NODE_DATA, unixfs)))
    return _Node(_named("dag-pb", block), file_bytes, len(block) + sum(child.stored_bytes for child in children))


def _link(child: _Node) -> bytes:
    size = _LINK_BYTES + varint.encode(child.stored_bytes)
    return _field(_LINK_CID, bytes(child.cid)) + _field(_LINK_NAME, b"") + size


def _field(tag: bytes, value: bytes) -> bytes:
    return tag + varint.encode(len(value)) + value


def _named(codec: str, block: bytes | memoryview) -> CID:
    return CID("base32", 1, codec, (_HASH, hashlib.sha256(block).digest()))
