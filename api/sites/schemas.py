"""Wire shapes of the sites routes."""

from typing import Annotated

from pydantic import ConfigDict, Field, StrictBool
from pydantic.alias_generators import to_camel

from api.domains.repository import MAX_DOMAINS
from api.http.rendering import Wire

Host = Annotated[str, Field(min_length=1, max_length=253)]


class SitesChange(Wire):
    """What is to be changed; what is left out stays. A list replaces the one there is."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        frozen=True,
        extra="forbid",
        json_schema_extra={"examples": [{"embedHosts": [], "embedsEnabled": True}]},
    )

    badge_hosts: list[Host] | None = Field(
        default=None,
        max_length=MAX_DOMAINS,
        description="Verified domains that bear the badge. A new one does by itself.",
    )
    embed_hosts: list[Host] | None = Field(
        default=None, max_length=MAX_DOMAINS, description="Those among them that may run the coin's apps, too."
    )
    embeds_enabled: StrictBool | None = Field(
        default=None, description="false: the coin's apps run on no other site, whatever the hosts."
    )


class PageSites(Wire):
    """The sites of a registration as its owner sets them."""

    badge_hosts: list[str] = Field(description="Sites that show the verified badge.")
    embed_hosts: list[str] = Field(description="Sites that may also run the coin's apps.")
    embeds_enabled: bool = Field(description="The switch.")
    interactive: bool = Field(description="What the public read says: the switch is on, and there are embed hosts.")
    verified_domains: list[str] = Field(description="The domains that can be either.")
