"""What a profile's fields may hold: links that every reader can follow, handles, and text without tricks.

Stricter than the rules of metadata documents, whose authors may be anyone: what passes here is listed and exported
everywhere as it is.
"""

import re
import unicodedata
from typing import Annotated

from pydantic import AfterValidator, StringConstraints

from api.metadata.cids import read_cid
from api.metadata.schemas import MAX_LINK_LENGTH

MAX_NAME_LENGTH = 100
MAX_DESCRIPTION_LENGTH = 5_000

_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
# A domain's name: the last label begins with a letter, so that no IPv4 address is one.
_HOST = rf"(?:{_LABEL}\.)+(?=[A-Za-z]){_LABEL}"
_REST = r"(?:[A-Za-z0-9._~:/?#@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*"
_HTTPS = re.compile(rf"https://{_HOST}(?::[1-9][0-9]{{0,4}})?(?:[/?#]{_REST})?")
_IPFS = re.compile(rf"ipfs://([A-Za-z0-9]+)(?:/{_REST})?")
_TWITTER = re.compile(r"@?[A-Za-z0-9_]{1,15}|https://(?:www\.)?(?:x|twitter)\.com/[A-Za-z0-9_]{1,15}/?")
_TELEGRAM = re.compile(
    r"@?[A-Za-z0-9_]{4,32}|https://(?:t|telegram)\.me/(?:[A-Za-z0-9_]{4,32}|(?:\+|joinchat/)[A-Za-z0-9_-]{8,64})/?"
)
_DISCORD = re.compile(
    r"[A-Za-z0-9-]{2,64}|https://(?:www\.)?(?:discord\.gg|discord(?:app)?\.com/invite)/[A-Za-z0-9-]{2,64}/?"
)
# Direction marks make text read otherwise than it is; the joiners that emoji need are not among them.
_MISLEADING = frozenset("\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")


def plain(text: str) -> str:
    """The text, if it is one line without tricks."""
    if any(unicodedata.category(one) == "Cc" or one in _MISLEADING for one in text):
        raise ValueError("must not hold control characters or marks of direction")
    return text


def paragraphs(text: str) -> str:
    """The text with its lines ended alike, if each is without tricks."""
    text = text.replace("\r\n", "\n")
    plain(text.replace("\n", " "))
    return text


def _site(text: str) -> str:
    if not _HTTPS.fullmatch(text):
        raise ValueError(
            "must be a link that begins with https:// and a domain name, in ASCII (xn--, %20), without a user"
        )
    return text


def _medium(text: str) -> str:
    found = _IPFS.fullmatch(text)
    if found is not None and read_cid(found[1]) is not None:
        return text
    if found is not None or not _HTTPS.fullmatch(text):
        raise ValueError("must be a link that begins with https:// and a domain name, or with ipfs:// and a CID")
    return text


def _twitter(text: str) -> str:
    if not _TWITTER.fullmatch(text):
        raise ValueError("must be a handle of 1 to 15 letters, digits or _, or a link such as https://x.com/handle")
    return text


def _telegram(text: str) -> str:
    if not _TELEGRAM.fullmatch(text):
        raise ValueError("must be a handle of 4 to 32 letters, digits or _, or a link such as https://t.me/handle")
    return text


def _discord(text: str) -> str:
    if not _DISCORD.fullmatch(text):
        raise ValueError("must be an invitation's code, or a link such as https://discord.gg/code")
    return text


def _written(longest: int) -> StringConstraints:
    return StringConstraints(strict=True, strip_whitespace=True, min_length=1, max_length=longest)


Name = Annotated[str, _written(MAX_NAME_LENGTH), AfterValidator(plain)]
Description = Annotated[str, _written(MAX_DESCRIPTION_LENGTH), AfterValidator(paragraphs)]
Site = Annotated[str, _written(MAX_LINK_LENGTH), AfterValidator(_site)]
Medium = Annotated[str, _written(MAX_LINK_LENGTH), AfterValidator(_medium)]
Twitter = Annotated[str, _written(MAX_LINK_LENGTH), AfterValidator(_twitter)]
Telegram = Annotated[str, _written(MAX_LINK_LENGTH), AfterValidator(_telegram)]
Discord = Annotated[str, _written(MAX_LINK_LENGTH), AfterValidator(_discord)]
