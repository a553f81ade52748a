"""The apps of a registration's page, as its owner and managers set them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from api.apps.catalogue import Catalogue
from api.apps.schemas import MAX_APPS, AppsChange, CatalogueApp, PageAppList, PlacedApp
from api.http.errors import InvalidInput
from api.http.times import timestamp
from api.pages.authority import ManagedRegistration, lock
from warehouse.store import Store


@dataclass(frozen=True, slots=True)
class PageApp:
    """An app on a page."""

    app_id: str
    enabled: bool
    installed_at: datetime


@dataclass(frozen=True, slots=True)
class PageAppsSettings:
    """Reads and sets the apps of pages. The whole list is set at once, so that setting it twice changes nothing."""

    store: Store
    catalogue: Catalogue

    async def read(self, registration: ManagedRegistration) -> PageAppList:
        """The page's apps, whether the public sees them or not, and the others of the catalogue."""
        return self._render(await self.store.rows("apps/list", registration.key, PageApp))

    async def change(self, registration: ManagedRegistration, change: AppsChange) -> PageAppList:
        """Set the page's apps and their order.

        Raises:
            InvalidInput: an app is named twice, or is neither in the catalogue nor on the page.
            RegistrationEnded, RegistrationRemoved: since the request came.
            NotAManager: the wallet lost its role since the request came.
        """
        key = registration.key
        ids = [app.id for app in change.apps]
        async with self.store.transaction() as transaction:
            # Of two lists set concurrently the later one wins, rather than a mixture.
            await lock(transaction, registration)
            placed = {row.app_id for row in await transaction.rows("apps/list", key, PageApp)}
            for position, app_id in enumerate(ids):
                if app_id in ids[:position]:
                    raise InvalidInput(f"apps.{position}.id", f"{app_id} is named twice")
                if app_id not in self.catalogue.apps and app_id not in placed:
                    raise InvalidInput(f"apps.{position}.id", "is not an app of the catalogue")
            await transaction.execute("apps/remove_others", {**key, "ids": ids})
            await transaction.execute(
                "apps/place", {**key, "ids": ids, "enabled": [app.enabled for app in change.apps]}
            )
            rows = await transaction.rows("apps/list", key, PageApp)
        return self._render(rows)

    def _render(self, rows: Sequence[PageApp]) -> PageAppList:
        placed = {row.app_id for row in rows}
        return PageAppList(
            apps=[
                PlacedApp(
                    id=row.app_id,
                    enabled=row.enabled,
                    public=row.enabled and self.catalogue.render(row.app_id, {}) is not None,
                    installed_at=timestamp(row.installed_at),
                    app=self._describe(row.app_id),
                )
                for row in rows
            ],
            available=[
                app
                for app_id in sorted(self.catalogue.apps)
                if app_id not in placed and (app := self._describe(app_id))
            ],
            limit=MAX_APPS,
        )

    def _describe(self, app_id: str) -> CatalogueApp | None:
        app = self.catalogue.apps.get(app_id)
        if app is None:
            return None
        return CatalogueApp(
            id=app_id,
            name=app.name,
            description=app.description,
            version=app.version,
            category=app.category,
            icon=app.icon,
            rating=app.rating,
            first_party=self.catalogue.is_first_party(app_id),
        )
