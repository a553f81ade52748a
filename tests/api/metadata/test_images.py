"""Images written by an image library: detected, measured, and refused if truncated."""

import io
import time
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from api.metadata.images import Damaged, Size, kind_of, measure
from tests.fixtures.uploads import picture

FRAMES = {"save_all": True, "append_images": [Image.new("RGB", (20, 10), "red")]}
PICTURES = {
    "png": ("image/png", picture("PNG")),
    "animated png": ("image/png", picture("PNG", **FRAMES)),
    "jpeg": ("image/jpeg", picture("JPEG")),
    "progressive jpeg": ("image/jpeg", picture("JPEG", progressive=True, quality=95, comment=b"\xff\xd9 a frog")),
    "jpeg with restarts": ("image/jpeg", picture("JPEG", restart_marker_blocks=1)),
    "gif": ("image/gif", picture("GIF")),
    "animated gif": ("image/gif", picture("GIF", comment=b"a frog", **FRAMES)),
    "webp": ("image/webp", picture("WEBP")),
    "lossless webp": ("image/webp", picture("WEBP", lossless=True)),
    "animated webp": ("image/webp", picture("WEBP", exif=b"Exif\0\0", **FRAMES)),
}


@pytest.mark.parametrize("name", PICTURES)
def test_an_image_is_measured(name: str) -> None:
    kind, data = PICTURES[name]
    assert kind_of(data) == kind
    assert measure(kind, data) == Size(20, 10)


@settings(max_examples=300)
@given(st.data())
def test_truncated_images_are_refused(chosen: st.DataObject) -> None:
    kind, data = PICTURES[chosen.draw(st.sampled_from(sorted(PICTURES)))]
    cut = data[: chosen.draw(st.integers(12, len(data) - 1))]
    with pytest.raises(Damaged):
        measure(kind, cut)


@settings(max_examples=300)
@given(st.data())
def test_any_bytes_are_measured_or_refused(chosen: st.DataObject) -> None:
    kind, data = PICTURES[chosen.draw(st.sampled_from(sorted(PICTURES)))]
    at = chosen.draw(st.integers(8, len(data) - 1))
    changed = data[:at] + chosen.draw(st.binary(min_size=1, max_size=6)) + data[at + chosen.draw(st.integers(0, 3)) :]
    try:
        size = measure(kind, changed)
    except Damaged:
        return
    assert size.width > 0
    assert size.height > 0
    if kind == "image/png":
        assert changed == data, "every byte of a PNG is under a checksum"


def test_a_refused_image_names_the_problem() -> None:
    png = picture("PNG")
    for data, problem in (
        (png[:-1], "cut off"),
        (png + b"<script>", "bytes follow"),
        (png[:60] + bytes([png[60] ^ 1]) + png[61:], "checksum"),
        (_with_size(png, 60_000, 1), "60000 x 1 pixels"),
        (_with_size(png, 0, 1), "0 x 1 pixels"),
        (png[:8] + png[33:], "no header"),
    ):
        with pytest.raises(Damaged, match=problem):
            measure("image/png", data)
    assert kind_of(b"<svg xmlns='http://www.w3.org/2000/svg'/>") is None
    assert kind_of(b"RIFF\0\0\0\0WAVE") is None
    jpeg = picture("JPEG")
    measure("image/jpeg", jpeg + jpeg)
    with pytest.raises(Damaged, match="no pixels"):
        measure("image/jpeg", jpeg[: jpeg.index(b"\xff\xda")] + b"\xff\xd9")


def test_pixels_are_decoded() -> None:
    png = picture("PNG")
    assert measure("image/png", _with_pixels(png, zlib.compress(bytes(10 * (1 + 3 * 20))))) == Size(20, 10)
    for pixels in (b"no pixels at all", zlib.compress(bytes(10 * (1 + 3 * 20)))[:-10], zlib.compress(b"\x09" * 610)):
        with pytest.raises(Damaged, match="decoded"):
            measure("image/png", _with_pixels(png, pixels))


def test_decompression_bombs_are_refused() -> None:
    black = Image.new("1", (4_000, 4_000))
    file = io.BytesIO()
    black.save(file, "GIF", save_all=True, append_images=[Image.new("1", (4_000, 4_000), n % 2) for n in range(1, 30)])
    assert len(file.getvalue()) < 2_000_000
    with pytest.raises(Damaged, match="30 frames"):
        measure("image/gif", file.getvalue())


def test_the_first_image_of_a_multi_picture_file_counts() -> None:
    data = picture("MPO", **FRAMES)
    assert kind_of(data) == "image/jpeg"
    assert measure("image/jpeg", data) == Size(20, 10)


@pytest.mark.parametrize("name", ["png", "jpeg", "gif", "webp"])
def test_images_made_to_waste_time_are_refused_quickly(name: str) -> None:
    kind, data = PICTURES[name]
    scan = data.find(b"\xff\xda") + 14
    chunk = b"\0\0\0\0teXt" + zlib.crc32(b"teXt").to_bytes(4, "big")
    for made in {
        "png": [data[:33] + chunk * 400_000],
        "jpeg": [data[:scan] + b"\xff" * 5_000_000, b"\xff\xd8" + b"\xff\xfe\0\2" * 1_000_000, b"\xff" * 5_000_000],
        "gif": [data[:13] + b"\x21\xfe\0" * 1_000_000, data[:13] + b"\x21\xfe" + b"\1" * 5_000_000],
        "webp": [b"RIFF\xf8\xff\xff\0WEBP" + b"VP8X\x0a\0\0\0" + bytes(10) + b"abcd\0\0\0\0" * 3_000_000],
    }[name]:
        began = time.process_time()
        with pytest.raises(Damaged):
            measure(kind, made)
        assert time.process_time() - began < 2


def _with_pixels(png: bytes, pixels: bytes) -> bytes:
    """The picture with other compressed pixels and a valid checksum."""
    chunk = b"IDAT" + pixels
    end = b"\0\0\0\0IEND" + zlib.crc32(b"IEND").to_bytes(4, "big")
    return png[:33] + len(pixels).to_bytes(4, "big") + chunk + zlib.crc32(chunk).to_bytes(4, "big") + end


def _with_size(png: bytes, width: int, height: int) -> bytes:
    header = b"IHDR" + width.to_bytes(4, "big") + height.to_bytes(4, "big") + png[24:29]
    return png[:12] + header + zlib.crc32(header).to_bytes(4, "big") + png[33:]
