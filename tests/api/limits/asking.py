"""A process that sends many concurrent requests to the shared limiter: ``python -m tests.api.limits.asking
DATABASE_URL KEY_ID ACCOUNT_ID PER_SECOND BURST PER_DAY REQUESTS`` prints how many requests were granted."""

import asyncio
import sys
from uuid import UUID

from api.clock import SystemClock
from api.limits.grants import Subject
from api.limits.plans import PlanLimits
from api.limits.shared import StoreMeter
from warehouse.store import Store

AT_ONCE = 16


async def ask(url: str, subject: Subject, limits: PlanLimits, requests: int) -> int:
    store = Store(url)
    meter = StoreMeter(Store(url, pool_size=4), store, clock=SystemClock())
    granted = 0
    left = iter(range(requests))

    async def keep_asking() -> None:
        nonlocal granted
        for _ in left:
            grant = await meter.take(subject, limits)
            granted += grant.refusal is None

    await asyncio.gather(*(keep_asking() for _ in range(AT_ONCE)))
    await meter.close()
    await store.close()
    return granted


if __name__ == "__main__":
    url, key, account, *figures = sys.argv[1:]
    per_second, burst, per_day, requests = map(int, figures)
    limits = PlanLimits(per_second=per_second, burst=burst, per_day=per_day, keys=1, new_keys=1)
    print(asyncio.run(ask(url, Subject(UUID(key), UUID(account), "free"), limits, requests)))
