"""The sites of a registration, read and set."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from api.domains.names import read_domain
from api.http.errors import InvalidInput
from api.pages.authority import ManagedRegistration, lock, reload
from api.sites.schemas import PageSites, SitesChange
from warehouse.store import Store


@dataclass(frozen=True, slots=True)
class VerifiedDomain:
    """A verified domain of a registration, and whether it bears the badge and may embed the page's apps."""

    domain: str
    badge: bool
    embeds: bool


@dataclass(frozen=True, slots=True)
class PageSitesService:
    """Reads and sets the sites of registrations' pages. A change returns the whole state and is safe to repeat."""

    store: Store

    async def read(self, registration: ManagedRegistration) -> PageSites:
        """The sites as they are set.

        Raises:
            RegistrationEnded, RegistrationRemoved: since the request came.
        """
        row = await reload(self.store, registration)
        return _render(
            row.embeds_enabled, await self.store.rows("sites/list_verified", registration.key, VerifiedDomain)
        )

    async def change(self, registration: ManagedRegistration, change: SitesChange) -> PageSites:
        """Change what is named.

        Raises:
            InvalidInput: a host is no verified domain of the registration, or an embed host bears no badge.
            RegistrationEnded, RegistrationRemoved: since the request came.
            NotAManager: the wallet lost its role since the request came.
        """
        key = registration.key
        async with self.store.transaction() as transaction:
            enabled = (await lock(transaction, registration)).embeds_enabled
            # The worker checks domains without locking the registration.
            domains = await transaction.rows("sites/lock_verified", key, VerifiedDomain)
            if change.badge_hosts is not None or change.embed_hosts is not None:
                chosen = _choose(change, domains)
                await transaction.execute("sites/set_hosts", {**key, **chosen})
            if change.embeds_enabled is not None:
                await transaction.execute("sites/set_embeds_enabled", {**key, "enabled": change.embeds_enabled})
                enabled = change.embeds_enabled
            domains = await transaction.rows("sites/list_verified", key, VerifiedDomain)
        return _render(enabled, domains)


def _choose(change: SitesChange, domains: Sequence[VerifiedDomain]) -> Mapping[str, list[str]]:
    verified = {row.domain for row in domains}
    badges = {row.domain for row in domains if row.badge}
    embeds = {row.domain for row in domains if row.embeds}
    if change.badge_hosts is not None:
        badges = _read_hosts("badgeHosts", change.badge_hosts, verified)
    if change.embed_hosts is not None:
        embeds = _read_hosts("embedHosts", change.embed_hosts, verified)
    if without := sorted(embeds - badges):
        field = "badgeHosts" if change.badge_hosts is not None else "embedHosts"
        raise InvalidInput(field, f"{without[0]} cannot be an embed host without being a badge host")
    return {"badges": sorted(badges), "embeds": sorted(embeds)}


def _read_hosts(field: str, hosts: Sequence[str], verified: set[str]) -> set[str]:
    found = set()
    for position, host in enumerate(hosts):
        domain = read_domain(f"{field}.{position}", host)
        if domain not in verified:
            raise InvalidInput(f"{field}.{position}", f"{domain} is not a verified domain of this registration")
        found.add(domain)
    return found


def _render(enabled: bool, domains: Sequence[VerifiedDomain]) -> PageSites:
    embeds = [row.domain for row in domains if row.embeds]
    return PageSites(
        badge_hosts=[row.domain for row in domains if row.badge],
        embed_hosts=embeds,
        embeds_enabled=enabled,
        interactive=enabled and bool(embeds),
        verified_domains=[row.domain for row in domains],
    )
