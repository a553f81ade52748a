"""Request and response schemas for a page's apps, as its owner sees them."""

from typing import Annotated, Final

from pydantic import ConfigDict, Field, StrictBool
from pydantic.alias_generators import to_camel

from api.apps.catalogue import Rating
from api.http.members import Count, Timestamp
from api.http.rendering import Wire

MAX_APPS: Final = 50
"""Apps on one page."""
AppId = Annotated[str, Field(min_length=3, max_length=97, description="<developer>/<name>.")]


class ChosenApp(Wire):
    """An app to put on the page."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True, extra="forbid")

    id: AppId
    enabled: StrictBool = Field(
        default=True, description="If false, the app keeps its position but is hidden from the public."
    )


class AppsChange(Wire):
    """All apps of the page, in its order. An app that is left out is removed."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        frozen=True,
        extra="forbid",
        json_schema_extra={
            "examples": [{"apps": [{"id": "regalia/market-card"}, {"id": "regalia/holder-check", "enabled": False}]}]
        },
    )

    apps: list[ChosenApp] = Field(max_length=MAX_APPS, description="The apps, in the order of the page.")


class CatalogueApp(Wire):
    """An app that can be installed on pages."""

    id: str = Field(description="<developer>/<name>.")
    name: str = Field(description="Name of the app.")
    description: str = Field(description="What it does.")
    version: str = Field(description="Its version, by semantic versioning.")
    category: str = Field(description="Its category, in lower case.")
    icon: str | None = Field(description="Picture: a link with https; null without one.")
    rating: Rating = Field(description="nsfw apps are never shown to the public.")
    first_party: bool = Field(description="Whether it is the service's own.")


class PlacedApp(Wire):
    """An app on a page, whether the public sees it or not."""

    id: str = Field(description="<developer>/<name>.")
    enabled: bool = Field(description="Whether the owner turned it on.")
    public: bool = Field(description="Whether the public sees it: enabled, in the catalogue, and not rated nsfw.")
    installed_at: Timestamp = Field(description="When it was put on the page, ISO 8601 in UTC.")
    app: CatalogueApp | None = Field(description="Null for an app that is in the catalogue no more.")


class PageAppList(Wire):
    """The apps of a page in its order, and the others that it may have."""

    apps: list[PlacedApp] = Field(description="The apps of the page, in its order.")
    available: list[CatalogueApp] = Field(description="The other apps that it may have.")
    limit: Count = Field(description="Most apps on a page.")
