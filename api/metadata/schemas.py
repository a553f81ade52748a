"""Wire shapes of metadata."""

import re
from typing import Annotated, Any

from pydantic import AfterValidator, ConfigDict, Field, StrictBool, StringConstraints
from pydantic.alias_generators import to_camel

from api.http.members import Count, Uri
from api.http.rendering import Wire

MAX_LINK_LENGTH = 2_048
_LINK = re.compile(r"(https|ipfs)://[^\s\x00-\x20\x7f<>\"\\^`{|}]+", re.IGNORECASE)
# Handles, and invitations such as server/abc: nothing that a page could take for another kind of link.
_HANDLE = re.compile(r"@?[\w.#/-]{1,100}")


def _is_link(text: str) -> str:
    if not _LINK.fullmatch(text):
        raise ValueError("must be a link that begins with https:// or ipfs://")
    return text


def _is_handle(text: str) -> str:
    if not _HANDLE.fullmatch(text) and not _LINK.fullmatch(text):
        raise ValueError("must be a handle, or a link that begins with https://")
    return text


Name = Annotated[str, StringConstraints(max_length=100, strict=True)]
Text = Annotated[str, StringConstraints(max_length=5_000, strict=True)]
Link = Annotated[str, StringConstraints(max_length=MAX_LINK_LENGTH, strict=True), AfterValidator(_is_link)]
Handle = Annotated[str, StringConstraints(max_length=MAX_LINK_LENGTH, strict=True), AfterValidator(_is_handle)]


class MetadataDocument(Wire):
    """A metadata document. These members are shown where a registration names the document; any others may be added."""

    model_config = ConfigDict(
        extra="allow",
        populate_by_name=False,
        alias_generator=to_camel,
        json_schema_serialization_defaults_required=False,  # it is served as it was uploaded
        json_schema_extra={
            "examples": [
                {
                    "name": "Pepe",
                    "description": "The frog.",
                    "website": "https://pepe.example",
                    "logoUrl": "ipfs://bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e",
                }
            ]
        },
    )

    name: Name | None = Field(default=None, description="Name of the token.")
    display_name: Name | None = Field(default=None, description="Name of the page.")
    description: Text | None = Field(default=None, description="What it is about.")
    avatar_url: Link | None = Field(default=None, description="Picture of the page: https or ipfs.")
    logo_url: Link | None = Field(default=None, description="Logo of the token: https or ipfs.")
    banner_url: Link | None = Field(default=None, description="Banner of the page: https or ipfs.")
    website: Link | None = Field(default=None, description="Its site.")
    twitter: Handle | None = Field(default=None, description="Handle or link.")
    telegram: Handle | None = Field(default=None, description="Handle or link.")
    discord: Handle | None = Field(default=None, description="Handle or link.")
    nsfw: StrictBool | None = Field(default=None, description="Whether it is not for everyone's eyes.")
    tiers: list[dict[str, Any]] | None = Field(default=None, max_length=100, description="Tiers for holders.")


class Uploaded(Wire):
    """What was kept, and its name."""

    cid: str = Field(description="CIDv1 of the bytes as they were sent: what `ipfs add --cid-version=1` says of them.")
    uri: Uri = Field(description="The CID as a link: for `setMetadata`'s document, and for pictures in documents.")
    url: Uri = Field(description="Where this service serves it.")
    content_type: str = Field(description="Media type, detected from the content.")
    size: Count = Field(description="Size in bytes.")


class StorageUse(Wire):
    """What an account stores."""

    limit_bytes: Count = Field(description="Bytes that it may store.")
    used_bytes: Count = Field(description="Bytes that it stores.")
