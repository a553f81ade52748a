"""Wire shapes of the token list routes."""

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from api.http.members import Address, ChainKey, ChainNumber, Count, Omittable, Symbol, Timestamp, TokenId
from api.http.rendering import Wire
from api.tokenlists.format_names import FormatName


class ListVersion(Wire):
    """Removed tokens make a major version, added ones a minor one, changed ones a patch."""

    major: Count = Field(description="Grows when tokens are removed.")
    minor: Count = Field(description="Grows when tokens are added.")
    patch: Count = Field(description="Grows when tokens change.")


class ListedExtensions(Wire):
    """What the registry adds to a token."""

    crown_id: TokenId


class ListedToken(Wire):
    """A token of the list."""

    chain_id: ChainNumber = Field(examples=[8453])
    address: Address = Field(description="Address of the token.")
    name: str = Field(description="Name of the token.")
    symbol: str = Field(description="Symbol of the token.")
    decimals: Count = Field(description="Digits after the point of a whole token.")
    logo_uri: Omittable[str] = Field(default=None, alias="logoURI", description="Absent if there is none.")
    extensions: ListedExtensions = Field(description="What the registry adds.")


class TokenList(Wire):
    """A token list by the public schema of token lists, except that it may have no tokens: no listed token matches the
    filter."""

    name: str = Field(description="Name of the list.")
    timestamp: Timestamp = Field(description="When the version was published, ISO 8601 in UTC.")
    version: ListVersion = Field(description="Version of the list.")
    keywords: list[str] = Field(description="Words that describe the list.")
    tokens: list[ListedToken] = Field(description="The tokens.")


class PublishedVersion(Wire):
    """A version, and how it differs from the one before."""

    version: ListVersion = Field(description="The version.")
    timestamp: Timestamp = Field(description="When it was published, ISO 8601 in UTC.")
    tokens: Count = Field(description="Tokens in it.")
    added: Count = Field(description="Tokens added since the version before.")
    changed: Count = Field(description="Tokens changed since the version before.")
    removed: Count = Field(description="Tokens removed since the version before.")


class PublishedVersions(Wire):
    """Versions, newest first."""

    versions: list[PublishedVersion] = Field(description="The versions of this page, newest first.")
    next_before: int | None = Field(description="`before` of the next page; null on the last.")


class ChangedToken(Wire):
    """A changed token."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)
    old: ListedToken = Field(alias="from", description="As it was.")
    new: ListedToken = Field(alias="to", description="As it is.")


class ListDifference(Wire):
    """The differences between two versions."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)
    old: ListVersion = Field(alias="from", description="The earlier version.")
    new: ListVersion = Field(alias="to", description="The later version.")
    added: list[ListedToken] = Field(description="Tokens that only the later version has.")
    removed: list[ListedToken] = Field(description="Tokens that only the earlier version has.")
    changed: list[ChangedToken] = Field(description="Tokens that differ.")


class ListingData(Wire):
    """A listing; null if the registration does not say."""

    name: str = Field(description="Name of the token.")
    symbol: Symbol = Field(description="Symbol of the registration.")
    description: str | None = Field(description="What it is about.")
    website: str | None = Field(description="Its site.")
    twitter: str | None = Field(description="Handle or link.")
    telegram: str | None = Field(description="Handle or link.")
    discord: str | None = Field(description="Invitation or link.")
    logo: str | None = Field(description="Logo: a link with https or ipfs.")
    contract_address: Address = Field(description="Address of the token.")
    chain_id: ChainNumber


class ListingExtensions(Wire):
    """The registry's statement on the token."""

    verified: bool = Field(description="An active registration backs the token.")
    crown_id: TokenId | None = Field(description="Registration id; null if not verified.")


class ListingExport(Wire):
    """A listing for export."""

    symbol: Symbol
    chain: ChainKey
    format: str = Field(description="As requested.")
    data: ListingData = Field(description="The listing.")
    extensions: ListingExtensions = Field(description="What the registry says of the token.")


class Lack(Wire):
    """A field that a platform requires and the profile lacks."""

    field: str = Field(description="Name of the field.")
    problem: str = Field(description="What is wrong with it.")


class PlatformLint(Wire):
    """A profile compared with one platform's format."""

    platform: str = Field(description="The platform, as in the path.")
    format: FormatName = Field(description="Its format.")
    complete: bool = Field(description="Whether nothing is lacking.")
    lacks: list[Lack] = Field(description="What is lacking.")


class ListingLint(Wire):
    """What a profile lacks, by platform."""

    symbol: Symbol
    chain: ChainKey
    platforms: list[PlatformLint] = Field(description="The platforms, in the order of the settings.")
