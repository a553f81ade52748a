"""Wire shapes of the token list routes."""

from typing import Any

from pydantic import ConfigDict, Field, RootModel
from pydantic.alias_generators import to_camel

from api.http.rendering import Wire


class ListVersion(Wire):
    """Removed tokens make a major version, added ones a minor one, changed ones a patch."""

    major: int
    minor: int
    patch: int


class ListedExtensions(Wire):
    """What the registry adds to a token."""

    crown_id: int = Field(description="Registration id on the token's chain.")


class ListedToken(Wire):
    """A token of the list."""

    chain_id: int = Field(examples=[8453])
    address: str
    name: str
    symbol: str
    decimals: int
    logo_uri: str | None = Field(
        default=None, alias="logoURI", description="Absent if there is none.", exclude_if=lambda uri: uri is None
    )
    extensions: ListedExtensions


class TokenList(Wire):
    """A token list by the public schema of token lists, except that it may have no tokens: no listed token matches the
    filter."""

    name: str
    timestamp: str = Field(description="When the version was published.")
    version: ListVersion
    keywords: list[str]
    tokens: list[ListedToken]


class PublishedVersion(Wire):
    """A version, and how it differs from the one before."""

    version: ListVersion
    timestamp: str
    tokens: int
    added: int
    changed: int
    removed: int


class PublishedVersions(Wire):
    """Versions, newest first."""

    versions: list[PublishedVersion]
    next_before: int | None = Field(description="`before` of the next page; null on the last.")


class ChangedToken(Wire):
    """A changed token."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)
    old: ListedToken = Field(alias="from")
    new: ListedToken = Field(alias="to")


class ListDifference(Wire):
    """The differences between two versions."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)
    old: ListVersion = Field(alias="from")
    new: ListVersion = Field(alias="to")
    added: list[ListedToken]
    removed: list[ListedToken]
    changed: list[ChangedToken]


class ListingData(Wire):
    """A listing; null if the registration does not say."""

    name: str
    symbol: str
    description: str | None
    website: str | None
    twitter: str | None
    telegram: str | None
    discord: str | None
    logo: str | None
    contract_address: str
    chain_id: int


class ListingExtensions(Wire):
    """The registry's statement on the token."""

    verified: bool = Field(description="An active registration backs the token.")
    crown_id: int | None = Field(description="Registration id; null if not verified.")


class ListingExport(Wire):
    """A listing for export."""

    symbol: str
    chain: str
    format: str = Field(description="As requested.")
    data: ListingData
    extensions: ListingExtensions


class PlatformListing(RootModel[dict[str, Any]]):
    """A listing in the platform's format."""


class Lack(Wire):
    """A field that a platform requires and the profile lacks."""

    field: str
    problem: str


class PlatformLint(Wire):
    """A profile compared with one platform's format."""

    platform: str
    format: str
    complete: bool
    lacks: list[Lack]


class ListingLint(Wire):
    """What a profile lacks, by platform."""

    symbol: str
    chain: str
    platforms: list[PlatformLint]
