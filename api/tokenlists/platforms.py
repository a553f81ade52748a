"""Listings in the formats that listing aggregators take: one declared adapter a format, and what each asks for.

A format is a pure function of a :class:`Listing` and a list of demands on its fields. Which path segment serves which
format is a setting (``REGALIA_LISTING_PLATFORMS``).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, get_args

from api.metadata.sizes import ImageSize
from api.registrations.repository import ListingRecord
from api.tokenlists.format_names import FormatName
from api.tokenlists.formats import (
    AssetLink,
    AssetListing,
    CoinDeployment,
    CoinImages,
    CoinLinks,
    CoinListing,
    CoinText,
    LinkName,
    PlatformListing,
    ProfileLink,
    ProfileListing,
)
from warehouse.domain.addresses import checksum_address
from warehouse.domain.chains import Chain

_LINK_NAMES: Final[tuple[LinkName, ...]] = get_args(LinkName)
_BASE_URLS = {"twitter": "https://x.com/", "telegram": "https://t.me/", "discord": "https://discord.gg/"}
"""The sites of handles that a registration may give instead of an address."""


@dataclass(frozen=True, slots=True)
class Listing:
    """What is known of a registered token; None if the registration does not say."""

    chain: Chain
    symbol: str
    name: str
    address: str
    decimals: int | None
    description: str | None
    website: str | None
    twitter: str | None
    telegram: str | None
    discord: str | None
    logo: str | None
    banner: str | None
    own_images: str | None = None

    @classmethod
    def of(cls, row: ListingRecord, chain: Chain, own_images: str | None = None) -> "Listing":
        """A listing from its row. ``own_images`` is what the URLs of images that were uploaded here begin with."""
        said: Mapping[str, Any] = row.presented
        return cls(
            chain=chain,
            symbol=row.symbol,
            name=_text(said.get("name")) or row.name or row.symbol,
            address=checksum_address(row.token_address),
            decimals=row.decimals,
            description=_text(said.get("description")),
            website=_text(said.get("website")),
            twitter=_text(said.get("twitter")),
            telegram=_text(said.get("telegram")),
            discord=_text(said.get("discord")),
            logo=_text(said.get("logoUrl")),
            banner=_text(said.get("bannerUrl")),
            own_images=own_images,
        )

    @property
    def explorer_url(self) -> str:
        """The token's page in the chain's explorer."""
        return f"{self.chain.explorer_url}/token/{self.address}"

    def logo_in(self, size: ImageSize) -> str | None:
        """The logo's URL in a size. An image that was not uploaded here has the one it was given."""
        if self.logo is None or self.own_images is None or not self.logo.startswith(self.own_images):
            return self.logo
        return self.logo if "?" in self.logo else f"{self.logo}?size={size}"


@dataclass(frozen=True, slots=True)
class Format:
    """A format: how a listing is written in it, and which fields it requires."""

    write: Callable[[Listing], PlatformListing]
    needs: tuple[str, ...]
    longest_description: int | None = None
    needs_any_link: bool = False

    def lacks(self, listing: Listing) -> list[tuple[str, str]]:
        """The fields with a problem, and the problems."""
        found = [(name, "is required") for name in self.needs if getattr(listing, name) is None]
        longest = self.longest_description
        if longest is not None and listing.description is not None and len(listing.description) > longest:
            found.append(("description", f"must have {longest} characters at most"))
        if self.needs_any_link and not _links(listing):
            found.append(("links", "one of website, twitter, telegram and discord is required"))
        return found


def handle(url: str | None) -> str | None:
    """The last part of a profile's address: https://x.com/pepe and @pepe are pepe. An invitation link has no handle."""
    if url is None:
        return None
    before, _, last = url.rstrip("/").rpartition("/")
    return None if last.startswith("+") or before.endswith("/joinchat") else last.removeprefix("@") or None


def link(name: LinkName, said: str) -> str:
    """The address of a profile that may be given by its handle alone."""
    base_url = _BASE_URLS.get(name)
    return said if base_url is None or "://" in said else base_url + said.removeprefix("@")


def _coin(listing: Listing) -> CoinListing:
    return CoinListing(
        id=f"{listing.symbol.lower()}-{listing.chain.key}",
        symbol=listing.symbol.lower(),
        name=listing.name,
        asset_platform_id=listing.chain.key,
        platforms={listing.chain.key: listing.address},
        detail_platforms={
            listing.chain.key: CoinDeployment(decimal_place=listing.decimals, contract_address=listing.address)
        },
        description=CoinText(en=listing.description or ""),
        links=CoinLinks(
            homepage=[listing.website] if listing.website else [],
            blockchain_site=[listing.explorer_url],
            chat_url=[link("discord", listing.discord)] if listing.discord else [],
            twitter_screen_name=handle(listing.twitter),
            telegram_channel_identifier=handle(listing.telegram),
        ),
        image=CoinImages(**{str(size): listing.logo_in(size) for size in ImageSize}),
        contract_address=listing.address,
    )


def _asset(listing: Listing) -> AssetListing:
    return AssetListing(
        name=listing.name,
        symbol=listing.symbol,
        type=listing.chain.token_standard,
        decimals=listing.decimals,
        description=listing.description,
        website=listing.website,
        explorer=listing.explorer_url,
        status="active",
        id=listing.address,
        links=[AssetLink(name=name, url=url) for name, url in _links(listing) if name != "website"],
    )


def _profile(listing: Listing) -> ProfileListing:
    return ProfileListing(
        chain_id=listing.chain.key,
        token_address=listing.address,
        icon=listing.logo,
        header=listing.banner,
        description=listing.description,
        links=[
            ProfileLink(label="Website", url=url) if name == "website" else ProfileLink(type=name, url=url)
            for name, url in _links(listing)
        ],
    )


FORMATS: Mapping[FormatName, Format] = {
    "coin": Format(_coin, needs=("logo", "description", "website")),
    "asset": Format(_asset, needs=("logo", "description", "website", "decimals"), longest_description=500),
    "profile": Format(_profile, needs=("logo",), needs_any_link=True),
}


def _links(listing: Listing) -> list[tuple[LinkName, str]]:
    named = {name: getattr(listing, name) for name in _LINK_NAMES}
    return [(name, link(name, said)) for name, said in named.items() if said]


def _text(value: Any) -> str | None:
    return value.strip() or None if isinstance(value, str) else None
