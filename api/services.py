"""The shared parts of a process: one typed object for the API, the worker and the commands.

A part is made when it is first used, so a command that lists keys opens no connection to the warehouse. Parts that hold
connections are closed when the block ends, the newest first::

    async with open_services(settings) as services:
        await services.store.row(...)

Endpoints get parts by the typed dependencies of ``api/http/dependencies.py``, tasks by ``services_of_job``. Tests put
another part in place by assigning it: ``services.warehouse = Hanging()``.
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Self

from starlette.requests import HTTPConnection

from api import breakers
from api.alerts.feeds.hub import BuyHub
from api.alerts.feeds.reading import FeedReading
from api.apps import catalogue
from api.apps.catalogue import Catalogue
from api.apps.pages import PageApps
from api.broadcasts.links import BlocklistFile
from api.chains import ChainReaders
from api.claims.signing import Signing, SolanaSigning
from api.clock import Clock, SystemClock
from api.domains.lookups import TextLookups
from api.fees.gas import MainnetGas
from api.fees.pricing import PricingFile
from api.health.exposition import ServiceCollector
from api.health.observer import Observer
from api.health.scrapes import Scrapes
from api.health.service import Readiness
from api.heartbeats.repository import AtRiskMemory
from api.http.metrics import Metrics
from api.limits.assembly import limiter_of
from api.limits.limiter import Limiter
from api.limits.plans import LimitsFile
from api.metadata.contents import Contents
from api.metadata.service import Metadata, open_contents
from api.outbound.client import Outbound
from api.public.service import PublicReads, Sources
from api.registrations.attesting import Attesting
from api.registrations.repository import RegistrationRepository
from api.search.service import SearchService
from api.security import sealing
from api.security.api_keys import ApiKeys
from api.security.jwt import Tokens
from api.security.sealing import Sealer
from api.security.sessions import Sessions
from api.security.signing_keys import SigningKeys
from api.settings import ApiSettings
from api.symbols.states import SymbolStates
from api.tokenlists.document import list_name
from api.tokenlists.service import TokenListService
from api.tokenlists.signing import Signatures
from api.tokens.service import TokenService
from api.vendors.messages import Channel, Vendor
from api.warehouse import WarehouseReader
from indexer.contracts.payer import open_payer
from indexer.contracts.signer import Signer
from indexer.contracts.signing import open_signer
from warehouse import engines
from warehouse.breaker import Breaker
from warehouse.chains import facts, majors
from warehouse.domain.chains import Chains
from warehouse.domain.majors import Majors
from warehouse.domain.registrable import SymbolRules
from warehouse.engines import EngineUrls
from warehouse.store import Store

if TYPE_CHECKING:
    from eth_account.signers.local import LocalAccount
    from solders.keypair import Keypair

    from indexer.contracts.solana.signer import StatementSigner


@dataclass(eq=False)
class Services:
    """Every shared part. Make it with :meth:`of` and close it, or use :func:`open_services`."""

    settings: ApiSettings
    chains: Chains
    clock: Clock
    metrics: Metrics = field(default_factory=Metrics)
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)

    @classmethod
    def of(
        cls,
        settings: ApiSettings,
        *,
        chains: Chains | None = None,
        clock: Clock | None = None,
        urls: EngineUrls | None = None,
    ) -> Self:
        """The parts for the settings. Reads the chains file and contacts nothing.

        Args:
            urls: where the engines are; by default where the settings or a running service say.

        Raises:
            ChainFactsError: the chains file cannot be used.
        """
        services = cls(settings, chains or facts.load(settings.chains), clock or SystemClock())
        if urls is not None:
            services.urls = urls
        return services

    async def aclose(self) -> None:
        """Close what was opened, the newest first."""
        await self._stack.aclose()

    # Settings and files.

    @cached_property
    def majors(self) -> Majors:
        """The tokens of large chains whose symbols are protected."""
        return majors.load(self.chains, self.settings.majors)

    @cached_property
    def pricing(self) -> PricingFile:
        """Fees, read again when the operator's file changes."""
        return PricingFile(self.settings.pricing)

    @cached_property
    def limits(self) -> LimitsFile:
        """Limits of plans, read again when the operator's file changes."""
        return LimitsFile(self.settings.limits)

    @cached_property
    def broadcast_blocklist(self) -> BlocklistFile:
        """Domains that broadcasts may not link to, read again when the operator's file changes."""
        return BlocklistFile(self.settings.broadcast_blocklist)

    @cached_property
    def apps(self) -> Catalogue:
        """The catalogue of apps for pages."""
        return catalogue.load(self.settings.apps)

    def read_files(self) -> None:
        """Read the operator's files now.

        Raises:
            OverlayError: one of them cannot be used.
            ChainFactsError: likewise, for the majors.
        """
        _ = (self.majors, self.pricing, self.limits, self.apps, self.broadcast_blocklist)

    # Keys.

    @cached_property
    def signer(self) -> Signer:
        """Signs statements for the registries. Blocks: requests use ``signing``."""
        signer = open_signer(self.settings)
        self._stack.callback(signer.close)
        return signer

    @cached_property
    def signing(self) -> Signing:
        """Has statements signed beside the event loop."""
        signing = Signing(self.signer)
        self._stack.push_async_callback(signing.close)
        return signing

    @cached_property
    def solana_signer(self) -> "StatementSigner":
        """Signs statements for the registry on Solana."""
        from indexer.contracts.solana.signing import open_signer as open_solana_signer  # loads solders

        signer = open_solana_signer(self.settings)
        self._stack.callback(signer.close)
        return signer

    @cached_property
    def solana_signing(self) -> SolanaSigning:
        """Has statements for the registry on Solana signed beside the event loop."""
        signing = SolanaSigning(self.solana_signer)
        self._stack.push_async_callback(signing.close)
        return signing

    @cached_property
    def payer(self) -> "LocalAccount":
        """Pays for the service's own transactions. Raises ``PayerMissing`` where no key is configured."""
        return open_payer()

    @cached_property
    def solana_payer(self) -> "Keypair":
        """Pays for the service's own transactions on Solana. Raises ``PayerMissing`` where no key is configured."""
        from indexer.contracts.solana.payer import open_payer as open_solana_payer  # loads solders

        return open_solana_payer()

    @cached_property
    def sealer(self) -> Sealer:
        """Encrypts webhook secrets and contacts at rest."""
        settings = self.settings
        return sealing.load_or_create(
            settings.data_dir, settings.given_sealing_key, settings.given_previous_sealing_key
        )

    @cached_property
    def signing_keys(self) -> SigningKeys:
        """The keys that sign sessions and statements."""
        return SigningKeys(self.settings.data_dir, given=self.settings.given_signing_keys)

    @cached_property
    def tokens(self) -> Tokens:
        """Signs and verifies JSON Web Tokens."""
        return Tokens(self.signing_keys, issuer=self.settings.public_site_url, audience=self.settings.public_url)

    # Engines and what lies outside.

    @cached_property
    def urls(self) -> EngineUrls:
        """Where the engines are."""
        return engines.locate(self.settings)

    @cached_property
    def store_breaker(self) -> Breaker:
        """Refuses statements while the store is known not to answer."""
        guarded = breakers.guard_store(self.urls.database_url)
        self._stack.push_async_callback(guarded.close)
        return guarded.breaker

    @cached_property
    def warehouse_breaker(self) -> Breaker:
        """Refuses reads while the warehouse is known not to answer."""
        guarded = breakers.guard_warehouse(self.urls.clickhouse_url)
        self._stack.push_async_callback(guarded.close)
        return guarded.breaker

    @property
    def breakers(self) -> list[Breaker]:
        """All circuit breakers: of the store, the warehouse, each chain that was read and the remote signers."""
        signing = [self.signing.breaker]
        if "solana_signing" in self.__dict__:  # opened by the first claim, so that others need no key of its kind
            signing.append(self.solana_signing.breaker)
        signers = [breaker for breaker in signing if breaker is not None]
        return [self.store_breaker, self.warehouse_breaker, *self.readers.breakers, *signers]

    @cached_property
    def store(self) -> Store:
        """PostgreSQL."""
        store = Store(
            self.urls.database_url,
            pool_size=self.settings.store_pool_size,
            timeout_seconds=self.settings.store_timeout_seconds,
            breaker=self.store_breaker,
        )
        self._stack.push_async_callback(store.close)
        return store

    @cached_property
    def warehouse(self) -> WarehouseReader:
        """ClickHouse, to read from."""
        warehouse = WarehouseReader(
            self.urls.clickhouse_url,
            timeout_seconds=self.settings.query_timeout_seconds,
            breaker=self.warehouse_breaker,
        )
        self._stack.push_async_callback(warehouse.close)
        return warehouse

    @cached_property
    def readers(self) -> ChainReaders:
        """Readers of the enabled chains."""
        readers = ChainReaders(timeout_seconds=self.settings.chain_timeout_seconds)
        self._stack.push_async_callback(readers.close)
        return readers

    @cached_property
    def outbound(self) -> Outbound:
        """The client for URLs that users gave."""
        outbound = Outbound.of(self.settings)
        self._stack.push_async_callback(outbound.close)
        return outbound

    @cached_property
    def vendors(self) -> dict[Channel, Vendor]:
        """The vendors of the channels that are on."""
        from api.vendors.assembly import configured_vendors  # loads what mail and push need

        vendors = configured_vendors(self.settings, self.outbound)
        for vendor in vendors.values():
            self._stack.push_async_callback(vendor.close)
        return vendors

    @cached_property
    def buy_hub(self) -> BuyHub:
        """Live buys for the streams of feeds."""
        hub = BuyHub(FeedReading(self.store, self.warehouse))
        self._stack.push_async_callback(hub.close)
        return hub

    @cached_property
    def text_lookups(self) -> TextLookups:
        """Looks TXT records up."""
        return TextLookups.of(self.settings)

    @cached_property
    def contents(self) -> Contents:
        """Uploaded files: in an IPFS node or in the data directory."""
        contents = open_contents(self.settings)
        self._stack.push_async_callback(contents.close)
        return contents

    # Callers.

    @cached_property
    def api_keys(self) -> ApiKeys:
        """API keys. The times of their last use are written when the block ends."""
        keys = ApiKeys(
            self.store, clock=self.clock, metrics=self.metrics, cache_seconds=self.settings.api_key_cache_seconds
        )
        self._stack.push_async_callback(keys.note_uses)
        return keys

    @cached_property
    def sessions(self) -> Sessions:
        """Wallet sessions."""
        return Sessions(
            self.store,
            self.tokens,
            clock=self.clock,
            metrics=self.metrics,
            cache_seconds=self.settings.session_cache_seconds,
        )

    @cached_property
    def limiter(self) -> Limiter:
        """Counts requests. What it counted is written when the block ends."""
        limiter = limiter_of(
            self.settings, self.limits, self.urls.database_url, self.store, clock=self.clock, metrics=self.metrics
        )
        self._stack.push_async_callback(limiter.close)
        return limiter

    # For commands; it makes synchronous connections of its own.

    @cached_property
    def attesting(self) -> Attesting:
        """Statements of the operator about registrations."""
        return Attesting(self.urls.database_url)

    # Health.

    @cached_property
    def readiness(self) -> Readiness:
        """Whether requests can be answered."""
        readiness = Readiness(self.store, self.warehouse, self.urls)
        self._stack.push_async_callback(readiness.close)
        return readiness

    @cached_property
    def observer(self) -> Observer:
        """Reads what ``/metrics`` says about the rest of the service."""
        observer = Observer(self.urls)
        self._stack.push_async_callback(observer.close)
        return observer

    @cached_property
    def service_collector(self) -> ServiceCollector:
        """Gives the readings of ``observer`` to the metrics."""
        collector = ServiceCollector(self.chains, self.settings.data_dir, self.store, lambda: self.breakers)
        self.metrics.registry.register(collector)
        self._stack.callback(self.metrics.registry.unregister, collector)
        return collector

    @cached_property
    def scrapes(self) -> Scrapes:
        """The text of all metrics."""
        return Scrapes(self.metrics, self.observer, self.service_collector)

    # Domains that remember answers.

    @cached_property
    def symbol_states(self) -> SymbolStates:
        """The state of symbols on chains."""
        return SymbolStates(RegistrationRepository(self.store), SymbolRules(self.majors), self.clock)

    @cached_property
    def metadata(self) -> Metadata:
        """Uploads."""
        return Metadata(self.store, self.contents, self.settings, self.metrics)

    @cached_property
    def search(self) -> SearchService:
        """Search and its answers of the last seconds."""
        return SearchService(
            self.warehouse,
            self.chains,
            self.symbol_states,
            PageApps(self.store, self.apps, self.settings.public_url),
            clock=self.clock,
            metrics=self.metrics,
            site_url=self.settings.public_site_url,
        )

    @cached_property
    def token_lookups(self) -> TokenService:
        """Lookups of single tokens."""
        return TokenService(self.search, self.metrics)

    @cached_property
    def token_list(self) -> TokenListService:
        """The token list and its last versions."""
        return TokenListService(self.store, list_name(self.settings.service_name), self.metrics)

    @cached_property
    def token_list_signatures(self) -> Signatures:
        """Signatures of token list answers."""
        return Signatures(self.tokens)

    @cached_property
    def public_reads(self) -> PublicReads:
        """Reads that need no credential."""
        sources = Sources(
            store=self.store,
            search=self.search.repository,
            readers=self.readers,
            apps=self.search.apps,
            clock=self.clock,
            site_url=self.settings.public_site_url,
        )
        return PublicReads(sources, self.metrics)

    @cached_property
    def mainnet_gas(self) -> MainnetGas:
        """The price of gas on Ethereum mainnet."""
        return MainnetGas(self.chains.by_key.get("eth"), self.readers, clock=self.clock, metrics=self.metrics)

    @cached_property
    def at_risk(self) -> AtRiskMemory:
        """Tokens at risk, as read in the last seconds."""
        return AtRiskMemory(self.store, self.metrics)


@asynccontextmanager
async def open_services(settings: ApiSettings, *, urls: EngineUrls | None = None) -> AsyncIterator[Services]:
    """The parts for the settings, closed when the block ends; see :meth:`Services.of`."""
    async with aclosing(Services.of(settings, urls=urls)) as services:
        yield services


def services_of(connection: HTTPConnection) -> Services:
    """The services of the application that got a request."""
    services: Services = connection.app.state.services
    return services
