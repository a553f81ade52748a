"""Notices as the delivery engine sends them: one receiver, the operator's webhook."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from warehouse.delivery.channel import Attempt
from warehouse.notices.webhook import LIMIT_SECONDS, DeliveryFailed, Webhook, post

_OPERATORS: Final = UUID(int=1)


@dataclass(frozen=True, slots=True)
class Operators:
    """The receiver of all notices."""

    webhook: Webhook
    id: UUID = _OPERATORS


@dataclass(frozen=True, slots=True)
class Notice:
    """A message that is leased. ``key`` stays the same in every attempt."""

    key: str
    body: Mapping[str, Any]
    attempts: int
    receiver_id: UUID = _OPERATORS
    retried: bool = True


class NoticeChannel:
    """Sends notices to the operator's webhook."""

    async def send(self, receiver: Operators, delivery: Notice, started_at: datetime) -> Attempt:
        """Send a notice once."""
        began, problem = time.perf_counter(), None
        try:
            await post(receiver.webhook, delivery.body, delivery.key, limit_seconds=LIMIT_SECONDS)
        except DeliveryFailed as error:
            problem = str(error)
        return Attempt(
            started_at=started_at,
            total_seconds=time.perf_counter() - began,
            failure=None if problem is None else "failed",
            problem=problem,
        )
