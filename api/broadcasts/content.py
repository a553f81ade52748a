"""What a broadcast may contain: links that are not on the blocklist, images that nobody can change."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from api.broadcasts.errors import ImageRefused, LinkBlocked
from api.broadcasts.links import MAX_LINKS, Blocklist, hosts_in, images_of, is_permanent, texts_of, urls_in
from api.broadcasts.redirects import Redirects
from api.broadcasts.schemas import BroadcastGiven
from api.http.errors import InvalidInput
from api.http.rendering import dumps
from api.outbound.destinations import UrlRefused

MAX_RICH_BYTES: Final = 32 * 1024
_LOOK_SECONDS: Final = 8.0


@dataclass(frozen=True, slots=True)
class ContentRules:
    """Checks a broadcast's content."""

    blocklist: Blocklist
    redirects: Redirects

    def check_form(self, given: BroadcastGiven) -> None:
        """What can be said of the form.

        Raises:
            InvalidInput: a link or the rich text is malformed, or there are too many links.
        """
        if given.link_url is not None:
            try:
                destination = self.redirects.outbound.validate(given.link_url.partition("#")[0])
            except UrlRefused as error:
                raise InvalidInput("linkUrl", str(error)) from error
            if not given.link_url.lower().startswith("https://"):
                raise InvalidInput("linkUrl", f"must begin with https://, not {destination.url.scheme}://")
        if given.image_url is not None and not given.image_url.lower().startswith("https://"):
            raise InvalidInput("imageUrl", "must begin with https://")
        if given.rich_content is not None:
            try:
                list(texts_of(given.rich_content))
            except ValueError as error:
                raise InvalidInput("richContent", str(error)) from error
            if len(dumps(given.rich_content)) > MAX_RICH_BYTES:
                raise InvalidInput("richContent", f"must have at most {MAX_RICH_BYTES} bytes")
        if len(set(_urls(given))) > MAX_LINKS:
            raise InvalidInput("body", f"must have at most {MAX_LINKS} links, those of richContent included")

    async def check(self, given: BroadcastGiven) -> None:
        """What the rules of the domain say.

        Raises:
            LinkBlocked, ImageRefused: a link or an image is not allowed.
        """
        for field, texts in _fields(given):
            for text in texts:
                for host in hosts_in(text):
                    if (domain := self.blocklist.blocked(host)) is not None:
                        raise LinkBlocked(f"{field}: leads to {domain}, which is on the blocklist")
        images = [("richContent", url) for url in images_of(given.rich_content or {})]
        if given.image_url is not None:
            images.insert(0, ("imageUrl", given.image_url))
        for field, url in images:
            if not is_permanent(url):
                raise ImageRefused(f"{field}: must be https:// on IPFS or Arweave, with the content's id")
        await self._follow(given)

    async def _follow(self, given: BroadcastGiven) -> None:
        try:
            async with asyncio.timeout(_LOOK_SECONDS):
                refusal = await self.redirects.refusal(_urls(given), self.blocklist)
        except TimeoutError:  # what answers so slowly leads nowhere that could be looked up
            return
        if refusal is not None:
            raise LinkBlocked(f"linkUrl: a link {refusal}")


def _fields(given: BroadcastGiven) -> Sequence[tuple[str, list[str]]]:
    rich: Any = given.rich_content or {}
    return (
        ("linkUrl", [given.link_url or ""]),
        ("title", [given.title]),
        ("body", [given.body]),
        ("richContent", list(texts_of(rich))),
    )


def _urls(given: BroadcastGiven) -> list[str]:
    images = set(images_of(given.rich_content or {}))
    return [url for _, texts in _fields(given) for text in texts if text not in images for url in urls_in(text)]
