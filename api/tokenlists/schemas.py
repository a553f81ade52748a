"""Wire shapes of the token list and of what goes with it."""

from typing import Any

from pydantic import ConfigDict, Field, RootModel
from pydantic.alias_generators import to_camel

from api.http.rendering import Wire


class ListVersion(Wire):
    """A token that left makes a major version, one that came a minor one, one that reads differently a patch."""

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
        default=None, alias="logoURI", description="Absent where there is none.", exclude_if=lambda uri: uri is None
    )
    extensions: ListedExtensions


class TokenList(Wire):
    """A token list as the public schema of token lists has it. An answer without tokens is the one thing that schema
    does not allow: it means that no listed token meets the filter."""

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
    """A token that reads differently."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)
    old: ListedToken = Field(alias="from")
    new: ListedToken = Field(alias="to")


class ListDifference(Wire):
    """What happened between two versions."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)
    old: ListVersion = Field(alias="from")
    new: ListVersion = Field(alias="to")
    added: list[ListedToken]
    removed: list[ListedToken]
    changed: list[ChangedToken]


class ListingData(Wire):
    """What a listing says; null where the registration says nothing."""

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
    """What the registry says of the token."""

    verified: bool = Field(description="An active registration backs the token.")
    crown_id: int | None = Field(description="Registration id; null where not verified.")


class ListingExport(Wire):
    """A listing for export."""

    symbol: str
    chain: str
    format: str = Field(description="As asked for.")
    data: ListingData
    extensions: ListingExtensions


class PlatformListing(RootModel[dict[str, Any]]):
    """A listing as the platform's format has it."""


class Lack(Wire):
    """Something that a platform asks for and the profile lacks."""

    field: str
    problem: str


class PlatformLint(Wire):
    """How a profile stands with one platform's format."""

    platform: str
    format: str
    complete: bool
    lacks: list[Lack]


class ListingLint(Wire):
    """What a profile lacks, by platform."""

    symbol: str
    chain: str
    platforms: list[PlatformLint]
