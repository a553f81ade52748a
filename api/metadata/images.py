"""Images by their bytes: which kind they are, how large, and whether they are whole.

First the structure that each format has around its compressed data is read to its end: decoders ignore what follows
the image, and fill in what is missing at its end. That is one pass over the bytes, and gives the size. Then Pillow
decodes every pixel of every frame, once the size and the number of frames are within limits.
"""

import io
import itertools
import re
import threading
import zlib
from collections.abc import Callable, Mapping
from typing import NamedTuple

from PIL import Image, ImageSequence

MAX_SIDE = 8_192
"""Pixels: an image of a few kilobytes may need gigabytes to be displayed."""
MAX_FRAMES = 2_000
MAX_FRAME_PIXELS = 4 * MAX_SIDE * MAX_SIDE
"""Of all frames together: they are decoded one by one, and each costs time."""
MAX_PARTS = 20_000
"""Chunks, segments or blocks: real images have some hundreds, and each costs a step."""
_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG_MARKER = re.compile(rb"\xff++([^\x00])", re.DOTALL)
# Within compressed data an escaped FF and restarts are part of it. One pass, however many FF follow each other.
_JPEG_NEXT = re.compile(rb"\xff[^\x00\xff\xd0-\xd7]", re.DOTALL)
_JPEG_END, _JPEG_SCAN = 0xD9, 0xDA
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_BARE = frozenset({0x01, *range(0xD0, 0xD9)})


# An image of the largest size takes 270 MB while it is decoded: one at a time in a process.
DECODING = threading.Lock()


class Damaged(ValueError):
    """An image that is not whole; the message says what is wrong with it."""


class Size(NamedTuple):
    """Pixels."""

    width: int
    height: int


def kind_of(data: bytes) -> str | None:
    """The media type by the first bytes; None if they are not those of an image."""
    if data.startswith(_PNG):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return None


def measure(media_type: str, data: bytes) -> Size:
    """The size of an image of a kind, once it is known to be whole.

    Raises:
        Damaged: the image is cut off, damaged, empty or too large.
    """
    try:
        size = _WALKS[media_type](data)
    except IndexError as error:
        raise Damaged("the image is cut off") from error
    _require_size(size)
    with DECODING:
        _decode(media_type, data)
    return size


def _decode(media_type: str, data: bytes) -> None:
    """Decode every frame, one after the other.

    Raises:
        Damaged: a frame cannot be decoded, or there are too many.
    """
    try:
        with Image.open(io.BytesIO(data), formats=(media_type.removeprefix("image/"),)) as image:
            _require_size(Size(*image.size))
            if media_type == "image/jpeg":
                image.load()  # only the first of a camera's images is served
                return
            frames: int = getattr(image, "n_frames", 1)
            if frames > MAX_FRAMES or frames * image.width * image.height > MAX_FRAME_PIXELS:
                raise Damaged(f"the image has {frames} frames of {image.width} x {image.height} pixels, too many")
            for frame in ImageSequence.Iterator(image):
                frame.load()
    except Damaged:
        raise
    except Exception as error:  # Pillow raises many types for damaged data: OSError, SyntaxError, struct.error ...
        raise Damaged("the image is damaged: its pixels cannot be decoded") from error


def _require_size(size: Size) -> None:
    if not (0 < size.width <= MAX_SIDE and 0 < size.height <= MAX_SIDE):
        raise Damaged(f"the image has {size.width} x {size.height} pixels; each side may have 1 to {MAX_SIDE}")


def _png(data: bytes) -> Size:
    at, size, has_pixels = len(_PNG), None, False
    for _ in range(MAX_PARTS):
        kind, content = data[at + 4 : at + 8], _cut(data, at + 8, _big(data, at, 4))
        at += 12 + len(content)
        if zlib.crc32(content, zlib.crc32(kind)) != _big(data, at - 4, 4):
            raise Damaged("the image is damaged: a checksum does not hold")
        if size is None:
            if kind != b"IHDR" or len(content) != 13:
                raise Damaged("the image has no header")
            size = Size(_big(content, 0, 4), _big(content, 4, 4))
        has_pixels = has_pixels or kind == b"IDAT"
        if kind == b"IEND":
            return _whole(data, at, size if has_pixels else None)
    raise _too_many()


def _jpeg(data: bytes) -> Size:
    at, size, has_pixels = 2, None, False
    for _ in range(MAX_PARTS):
        marker, at = _jpeg_marker(data, at)
        if marker == _JPEG_END:
            # Cameras put further images behind the first.
            return _whole(data[:at], at, size if has_pixels else None)
        if marker in _JPEG_BARE:
            continue
        length = _big(data, at, 2)
        content = _cut(data, at, max(2, length))
        if marker in _JPEG_FRAMES:
            size = Size(_big(content, 5, 2), _big(content, 3, 2))
        at += length
        if marker == _JPEG_SCAN:
            if size is None:
                raise Damaged("the image has no header")
            found = _JPEG_NEXT.search(data, at)
            if found is None:
                raise Damaged("the image is cut off")
            at, has_pixels = found.start(), True
    raise _too_many()


def _jpeg_marker(data: bytes, at: int) -> tuple[int, int]:
    found = _JPEG_MARKER.match(data, at)
    if found is None:
        raise Damaged("the image is cut off" if at >= len(data) - 1 else "the image is damaged")
    return found[1][0], found.end()


def _gif(data: bytes) -> Size:
    size = Size(_little(data, 6, 2), _little(data, 8, 2))
    at, has_pixels = 13 + _gif_colours(data[10]), False
    for _ in range(MAX_PARTS):
        block = data[at]
        if block == 0x3B:
            return _whole(data, at + 1, size if has_pixels else None)
        if block == 0x21:
            at = _gif_skip(data, at + 2)
        elif block == 0x2C:
            at = _gif_skip(data, at + 11 + _gif_colours(data[at + 9]))
            has_pixels = True
        else:
            raise Damaged("the image is damaged")
    raise _too_many()


def _gif_colours(flags: int) -> int:
    """Bytes of the table of colours that follows."""
    return 3 << ((flags & 7) + 1) if flags & 0x80 else 0


def _gif_skip(data: bytes, at: int) -> int:
    while length := data[at]:
        at += 1 + length
    return at + 1


def _webp(data: bytes) -> Size:
    end = 8 + _little(data, 4, 4)
    if end > len(data):
        raise Damaged("the image is cut off")
    at, size, has_pixels = 12, None, False
    for part in itertools.count():
        if at >= end:
            break
        if part == MAX_PARTS:
            raise _too_many()
        kind, content = data[at : at + 4], _cut(data, at + 8, _little(data, at + 4, 4))
        at += 8 + len(content) + len(content) % 2
        if size is None:
            size = _webp_size(kind, content)
        has_pixels = has_pixels or kind in (b"VP8 ", b"VP8L", b"ANMF")
    if at != end:
        raise Damaged("the image is damaged")
    return _whole(data, end, size if has_pixels else None)


def _webp_size(kind: bytes, content: bytes) -> Size:
    if kind == b"VP8X":
        return Size(1 + _little(content, 4, 3), 1 + _little(content, 7, 3))
    if kind == b"VP8 " and content[3:6] == b"\x9d\x01\x2a":
        return Size(_little(content, 6, 2) & 0x3FFF, _little(content, 8, 2) & 0x3FFF)
    if kind == b"VP8L" and content[:1] == b"\x2f":
        bits = _little(content, 1, 4)
        return Size(1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF))
    raise Damaged("the image has no header")


def _too_many() -> Damaged:
    return Damaged(f"the image has more than {MAX_PARTS} parts")


def _whole(data: bytes, end: int, size: Size | None) -> Size:
    if size is None:
        raise Damaged("the image has no pixels")
    if end != len(data):
        raise Damaged("the image is cut off" if end > len(data) else "bytes follow the image's end")
    return size


def _cut(data: bytes, at: int, length: int) -> bytes:
    content = data[at : at + length]
    if len(content) != length:
        raise Damaged("the image is cut off")
    return content


def _big(data: bytes, at: int, length: int) -> int:
    return int.from_bytes(_cut(data, at, length), "big")


def _little(data: bytes, at: int, length: int) -> int:
    return int.from_bytes(_cut(data, at, length), "little")


_WALKS: Mapping[str, Callable[[bytes], Size]] = {
    "image/png": _png,
    "image/jpeg": _jpeg,
    "image/gif": _gif,
    "image/webp": _webp,
}
IMAGE_TYPES = tuple(_WALKS)
