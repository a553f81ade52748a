"""Wire shapes of listings in the formats that listing aggregators take. Each names its members as its readers do."""

from typing import Literal

from pydantic import ConfigDict, Field

from api.http.members import Address, ChainKey, Count, Omittable, Uri
from api.http.rendering import Wire

LinkName = Literal["website", "twitter", "telegram", "discord"]


class _Snake(Wire):
    """Members in lower case with underscores."""

    model_config = ConfigDict(alias_generator=None)


class CoinDeployment(_Snake):
    """A coin's token on one chain."""

    decimal_place: Count | None = Field(description="Digits after the point of a whole token; null if unknown.")
    contract_address: Address = Field(description="Address of the token.")


class CoinText(_Snake):
    """A text by language."""

    en: str = Field(description="The text in English; empty if the registration has none.")


class CoinLinks(_Snake):
    """A coin's links by purpose."""

    homepage: list[str] = Field(description="Its site, if it has one.")
    blockchain_site: list[Uri] = Field(description="Its page in the chain's explorer.")
    chat_url: list[str] = Field(description="Its chat, if it has one.")
    twitter_screen_name: str | None = Field(description="Handle; null without one.")
    telegram_channel_identifier: str | None = Field(description="Handle; null without one.")


class CoinImages(_Snake):
    """A coin's logo by size; null without one."""

    thumb: str | None = Field(description="At most 25 pixels wide and high.")
    small: str | None = Field(description="At most 50 pixels wide and high.")
    large: str | None = Field(description="At most 250 pixels wide and high.")


class CoinListing(_Snake):
    """Format `coin`: platforms, links by purpose, images by size."""

    id: str = Field(description="Symbol and chain key, in lower case.", examples=["pepe-base"])
    symbol: str = Field(description="Symbol, in lower case.", examples=["pepe"])
    name: str = Field(description="Name of the coin.")
    asset_platform_id: ChainKey
    platforms: dict[str, Address] = Field(description="Address of its token, by chain key.")
    detail_platforms: dict[str, CoinDeployment] = Field(description="Its token, by chain key.")
    description: CoinText = Field(description="What it is about.")
    links: CoinLinks = Field(description="Its links by purpose.")
    image: CoinImages = Field(description="Its logo by size.")
    contract_address: Address = Field(description="Address of its token.")


class AssetLink(Wire):
    """A named link."""

    name: LinkName = Field(description="What it leads to.")
    url: str = Field(description="The link.")


class AssetListing(Wire):
    """Format `asset`: a flat information file with named links."""

    name: str = Field(description="Name of the token.")
    symbol: str = Field(description="Symbol of the registration.")
    type: str = Field(description="Standard of tokens of its chain.", examples=["ERC20"])
    decimals: Count | None = Field(description="Digits after the point of a whole token; null if unknown.")
    description: str | None = Field(description="What it is about; null if the registration does not say.")
    website: str | None = Field(description="Its site; null without one.")
    explorer: Uri = Field(description="Its page in the chain's explorer.")
    status: Literal["active"] = Field(description="Always active.")
    id: Address = Field(description="Address of the token.")
    links: list[AssetLink] = Field(description="Its other links.")


class ProfileLink(Wire):
    """A link with a label or a type."""

    label: Omittable[Literal["Website"]] = Field(default=None, description="Of the token's site.")
    type: Omittable[Literal["twitter", "telegram", "discord"]] = Field(default=None, description="Of other links.")
    url: str = Field(description="The link.")


class ProfileListing(Wire):
    """Format `profile`: pictures, a text, typed links."""

    chain_id: ChainKey
    token_address: Address = Field(description="Address of the token.")
    icon: str | None = Field(description="Logo; null without one.")
    header: str | None = Field(description="Banner; null without one.")
    description: str | None = Field(description="What it is about; null if the registration does not say.")
    links: list[ProfileLink] = Field(description="Its links.")


PlatformListing = CoinListing | AssetListing | ProfileListing
"""A listing in a platform's format."""
