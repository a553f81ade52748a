"""Images in the sizes that listing platforms ask for."""

import io
from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from PIL import Image

from api.metadata.images import DECODING, IMAGE_TYPES

MAX_SOURCE_SIDE: Final = 2_048
"""Pixels of the largest image that is resized: decoding a larger one takes too long for a public read."""


class ImageSize(StrEnum):
    """A size of an image: the longest side that it may have."""

    THUMB = "thumb"
    SMALL = "small"
    LARGE = "large"


SIDES: Final[Mapping[ImageSize, int]] = {ImageSize.THUMB: 25, ImageSize.SMALL: 50, ImageSize.LARGE: 250}
"""Pixels of the longest side."""


class NotResizable(ValueError):
    """The content has no other sizes; the message says why."""


def resize(media_type: str, data: bytes, size: ImageSize) -> bytes:
    """An image as a PNG no larger than ``size``, with its proportions. It is never enlarged, and an animation becomes
    its first frame.

    Raises:
        NotResizable: the content is no image, or a very large one.
    """
    if media_type not in IMAGE_TYPES:
        raise NotResizable("only images have sizes")
    side = SIDES[size]
    with DECODING, Image.open(io.BytesIO(data), formats=(media_type.removeprefix("image/"),)) as image:
        if max(image.size) > MAX_SOURCE_SIDE:
            raise NotResizable(f"images with more than {MAX_SOURCE_SIDE} pixels a side are not resized")
        resized = image.convert("RGBA")
        resized.thumbnail((side, side))
    out = io.BytesIO()
    resized.save(out, "PNG", optimize=True)
    return out.getvalue()
