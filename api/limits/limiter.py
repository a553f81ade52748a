"""The limiter of an application: counts requests against plans and addresses, and makes the limit headers."""

import asyncio
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass

from prometheus_client import Counter
from starlette.requests import HTTPConnection

from api.clock import Clock
from api.http.errors import ApiError, TooManyRequests
from api.http.metrics import Metrics
from api.limits import fields
from api.limits.addresses import client_address
from api.limits.errors import AddressRateExceeded, QuotaExceeded, RateExceeded, TooManyInvalidKeys
from api.limits.grants import Grant, Meter, Subject
from api.limits.plans import LimitsFile, PlanLimits
from api.limits.process import Windows
from api.outbound.destinations import Network
from api.security.callers import Caller, Principal

LOG = logging.getLogger(__name__)
KEEP_SECONDS = 2.0
PUBLIC, HOLDINGS, KEYS, UNCOUNTED = "public", "holdings", "keys", "uncounted"


@dataclass(frozen=True, slots=True)
class Charge:
    """The result of counting a request: headers for its answer, and the refusal if it is over a limit."""

    headers: list[tuple[bytes, bytes]]
    refusal: ApiError | None
    of_quota: bool = False
    """Whether the daily quota refuses it, not the rate."""


class Limiter:
    """Counts requests against the limits of plans and addresses.

    Args:
        meter: where requests are counted; None refuses nothing and sends no headers.
        proxies: networks whose ``X-Forwarded-For`` is trusted.
    """

    def __init__(
        self,
        meter: Meter | None,
        file: LimitsFile,
        *,
        clock: Clock,
        metrics: Metrics,
        proxies: Sequence[Network] = (),
    ) -> None:
        self.meter = meter
        self.clock = clock
        self.file = file
        self.proxies = proxies
        self._refused = Counter(
            "regalia_requests_refused",
            "Requests answered 429, by the limit that was exceeded: rate, day, public, holdings, keys or deals.",
            ("limit",),
            registry=metrics.registry,
        )
        self._held = Counter(
            "regalia_answers_held",
            "Uncounted answers that were held back for a second: their address had too many in the minute.",
            registry=metrics.registry,
        )
        # Always in this process's memory: other processes need not know.
        self._wrong_keys = Windows()
        self._uncounted = Windows()

    def limits_of(self, plan: str) -> PlanLimits:
        """The limits of a plan."""
        return self.file.current.plans[plan]

    async def charge(self, principal: Principal) -> Charge:
        """Count one request of a credential's owner."""
        if self.meter is None:
            return Charge([], None)
        limits = self.limits_of(principal.plan)
        id = principal.quota_id if isinstance(principal, Caller) else principal.account_id
        grant = await self.meter.take(Subject(id, principal.account_id, principal.plan), limits)
        refusal = None
        if grant.refusal is not None:
            self._refused.labels(grant.refusal).inc()
            refusal = _refusal(limits, grant)
        return Charge(fields.headers(limits, grant), refusal, of_quota=grant.refusal == "day")

    async def admit(self, connection: HTTPConnection, *, holdings: bool = False) -> None:
        """Count one request without a credential against the client's address; reads of holdings also have a lower
        limit.

        Raises:
            AddressRateExceeded: the address is over its limit.
        """
        if self.meter is None:
            return
        address = client_address(connection, self.proxies)
        public = self.file.current.public
        kinds = [(HOLDINGS, public.holdings_per_minute)] if holdings else []
        for kind, per_minute in (*kinds, (PUBLIC, public.per_minute)):
            wait = await self.meter.take_of_address(address, kind, per_minute)
            if wait is not None:
                self._refused.labels(kind).inc()
                what = "reads of holdings" if kind == HOLDINGS else "requests"
                raise AddressRateExceeded(f"more than {per_minute} {what} a minute from this address", wait)

    async def take(self, subject: str, kind: str, per_minute: int) -> float | None:
        """Count one of a kind of requests of a subject against a limit of its own, over all processes that share their
        counts. None: it is within the limit; else the seconds until the minute is over."""
        if self.meter is None:
            return None
        wait = await self.meter.take_of_address(subject, kind, per_minute)
        if wait is not None:
            self._refused.labels(kind).inc()
        return wait

    def count_invalid_key(self, connection: HTTPConnection) -> None:
        """Count a key that is not valid against the client's address.

        Raises:
            TooManyInvalidKeys: the address sent too many.
        """
        if self.meter is None:
            return
        most = self.file.current.public.wrong_keys_per_minute
        address = client_address(connection, self.proxies)
        wait = self._wrong_keys.take(address, KEYS, most, self.clock.now().timestamp())
        if wait is not None:
            self._refused.labels(KEYS).inc()
            raise TooManyInvalidKeys(f"more than {most} API keys a minute that are not valid, from this address", wait)

    def is_over_uncounted(self, connection: HTTPConnection) -> bool:
        """Count an answer that nothing else counts; whether the client's address has had too many in the minute."""
        return self.is_address_over_uncounted(client_address(connection, self.proxies))

    def is_address_over_uncounted(self, address: str) -> bool:
        """The same, for what was refused before it was a request."""
        if self.meter is None:
            return False
        most = self.file.current.public.uncounted_per_minute
        over = self._uncounted.take(address, UNCOUNTED, most, self.clock.now().timestamp()) is not None
        if over:
            self._held.inc()
        return over

    async def keep(self) -> None:
        """Write what must survive the process; read the limits again if their file changed."""
        self.file.look_again()
        for windows in (self._wrong_keys, self._uncounted):
            windows.forget(self.clock.now().timestamp())
        if self.meter is not None:
            await self.meter.keep()

    async def close(self) -> None:
        """Write what was counted, and close the connections of the meter."""
        try:
            await self.keep()
        finally:
            if self.meter is not None:
                await self.meter.close()

    async def keep_forever(self) -> None:
        """Call ``keep`` every few seconds until cancelled."""
        while True:
            await asyncio.sleep(KEEP_SECONDS)
            began = time.monotonic()
            try:
                await self.keep()
            except Exception:  # such as tables that are not migrated yet; the next run may succeed
                LOG.exception("usage is not kept")
            LOG.debug("kept usage in %.3f s", time.monotonic() - began)


def _refusal(limits: PlanLimits, grant: Grant) -> TooManyRequests:
    wait = fields.wait_seconds(limits, grant)
    if grant.refusal == "day":
        return QuotaExceeded(
            f"the daily quota of {limits.per_day} requests is used up; it is renewed at 00:00 UTC", wait
        )
    return RateExceeded(f"more than {limits.per_second} requests a second", wait)
