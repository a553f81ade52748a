"""Makes the limiter of the settings."""

from api.clock import Clock
from api.http.metrics import Metrics
from api.limits.grants import Meter
from api.limits.limiter import Limiter
from api.limits.plans import LimitsFile
from api.limits.process import ProcessMeter
from api.limits.shared import StoreMeter
from api.limits.usage import UsageLedger
from api.settings import ApiSettings
from warehouse.breaker import Breaker
from warehouse.store import Store

_CONNECTIONS = 4
MAX_SECONDS = 2.0
"""A store that takes longer to count is treated as down, because every request waits for it."""


def limiter_of(
    settings: ApiSettings, file: LimitsFile, database_url: str, store: Store, *, clock: Clock, metrics: Metrics
) -> Limiter:
    """The limiter; close it to write what it counted."""
    meter: Meter | None = None
    if settings.limits_backend == "process":
        meter = ProcessMeter(UsageLedger(store), clock=clock)
    elif settings.limits_backend == "store":
        meter = StoreMeter(_counters(settings, database_url, store.breaker), store, clock=clock)
    return Limiter(meter, file, clock=clock, metrics=metrics, proxies=settings.proxies)


def _counters(settings: ApiSettings, database_url: str, breaker: Breaker | None) -> Store:
    return Store(
        database_url,
        pool_size=_CONNECTIONS,
        timeout_seconds=min(MAX_SECONDS, settings.store_timeout_seconds),
        application_name="regalia-limits",
        # A crash of the server may lose half a second of counts. Waiting for the disk would cost far more.
        settings={"synchronous_commit": "off"},
        breaker=breaker,
    )
