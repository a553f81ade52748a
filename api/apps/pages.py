"""The apps of registrations' pages as the public sees them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import quote

from pydantic import Field

from api.apps.catalogue import Catalogue
from api.http.rendering import Wire
from warehouse.store import Store


class InstalledApp(Wire):
    """An app on a coin's page."""

    id: str = Field(description="<developer>/<name>.")
    name: str = Field(description="Name of the app.")
    description: str = Field(description="What it does.")
    version: str = Field(description="Its version, by semantic versioning.")
    category: str = Field(description="Its category, in lower case.")
    icon: str | None = Field(description="Picture: a link with https; null without one.")
    first_party: bool = Field(description="Whether it is the service's own.")
    embed: dict[str, Any] | None = Field(description="The app's own embed declaration.")


class Page(NamedTuple):
    """The registration that a page belongs to. ``token`` is its address as clients see it."""

    chain_id: int
    token_id: int
    chain_key: str
    symbol: str
    token: str


@dataclass(frozen=True, slots=True)
class PageApps:
    """Reads the apps of pages: those turned on, except apps rated NSFW or no longer in the catalogue."""

    store: Store
    catalogue: Catalogue
    base_url: str

    async def of(self, page: Page) -> list[InstalledApp]:
        """The apps of one page, in its own order."""
        return (await self.of_all([page]))[page.chain_id, page.token_id]

    async def of_all(self, pages: Sequence[Page]) -> Mapping[tuple[int, int], list[InstalledApp]]:
        """The apps of many pages in one read, by chain id and registration id."""
        if not pages:
            return {}
        rows = await self.store.rows(
            "apps/list_enabled",
            {
                "chain_ids": ",".join(str(page.chain_id) for page in pages),
                "token_ids": ",".join(str(page.token_id) for page in pages),
            },
        )
        installed: dict[tuple[int, int], list[str]] = defaultdict(list)
        for row in rows:
            installed[row["chain_id"], row["token_id"]].append(row["app_id"])
        return {
            (page.chain_id, page.token_id): self._visible_apps(page, installed[page.chain_id, page.token_id])
            for page in pages
        }

    def _visible_apps(self, page: Page, app_ids: Iterable[str]) -> list[InstalledApp]:
        filled = {
            "base_url": self.base_url,
            "chain": page.chain_key,
            "symbol": quote(page.symbol, safe=""),
            "token": page.token,
            "crownId": str(page.token_id),
        }
        rendered = (self.catalogue.render(app_id, filled) for app_id in app_ids)
        return [InstalledApp.model_validate(app) for app in rendered if app is not None]
