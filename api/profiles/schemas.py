"""Wire shapes of profiles."""

from pydantic import ConfigDict, Field, StrictBool
from pydantic.alias_generators import to_camel

from api.http.members import ChainNumber, Symbol, TokenId
from api.http.rendering import Wire
from api.profiles import rules


class ProfileChange(Wire):
    """What is to be changed. A field that is left out stays as it is; null clears it."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=False,
        frozen=True,
        extra="forbid",
        json_schema_extra={
            "examples": [{"description": "The frog.", "website": "https://pepe.example", "telegram": None}]
        },
    )

    name: rules.Name | None = Field(default=None, description="Name of the token: 1 to 100 characters.")
    display_name: rules.Name | None = Field(default=None, description="Name of the page: 1 to 100 characters.")
    description: rules.Description | None = Field(default=None, description="1 to 5,000 characters; may have lines.")
    avatar_url: rules.Medium | None = Field(default=None, description="Picture of the page: https:// or ipfs://.")
    logo_url: rules.Medium | None = Field(default=None, description="Logo of the token: https:// or ipfs://.")
    banner_url: rules.Medium | None = Field(default=None, description="Banner of the page: https:// or ipfs://.")
    website: rules.Site | None = Field(default=None, description="Link with https://.")
    twitter: rules.Twitter | None = Field(default=None, description="Handle, or link to it.")
    telegram: rules.Telegram | None = Field(default=None, description="Handle, or link to it or to a group.")
    discord: rules.Discord | None = Field(default=None, description="Code of an invitation, or link to it.")
    nsfw: StrictBool | None = Field(default=None, description="Whether it is not for everyone's eyes; null is false.")


class Profile(Wire):
    """What a registration presents: the owner's profile over the document behind its CID. null: nothing."""

    token_id: TokenId
    chain_id: ChainNumber
    symbol: Symbol
    name: str | None = Field(description="Name of the token.")
    display_name: str | None = Field(description="Name of the page.")
    description: str | None = Field(description="What it is about.")
    avatar_url: str | None = Field(description="Picture of the page: a link with https or ipfs.")
    logo_url: str | None = Field(description="Logo of the token: a link with https or ipfs.")
    banner_url: str | None = Field(description="Banner of the page: a link with https or ipfs.")
    website: str | None = Field(description="Its site.")
    twitter: str | None = Field(description="Handle or link.")
    telegram: str | None = Field(description="Handle or link.")
    discord: str | None = Field(description="Invitation or link.")
    nsfw: bool = Field(description="Whether it is not for everyone's eyes.")
    set_here: list[str] = Field(description="The fields that the profile sets or clears; others are the document's.")


class ProfileUpdate(Profile):
    """The profile after a change."""

    updated_fields: list[str] = Field(description="The fields that now say something else than before; may be none.")
