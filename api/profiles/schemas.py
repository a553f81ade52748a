"""Wire shapes of profiles."""

from pydantic import ConfigDict, Field, StrictBool
from pydantic.alias_generators import to_camel

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

    token_id: int
    chain_id: int
    symbol: str
    name: str | None
    display_name: str | None
    description: str | None
    avatar_url: str | None
    logo_url: str | None
    banner_url: str | None
    website: str | None
    twitter: str | None
    telegram: str | None
    discord: str | None
    nsfw: bool
    set_here: list[str] = Field(description="The fields that the profile sets or clears; others are the document's.")


class ProfileUpdate(Profile):
    """The profile after a change."""

    updated_fields: list[str] = Field(description="The fields that now say something else than before; may be none.")
