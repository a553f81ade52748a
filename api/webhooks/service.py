"""What owners can do with their subscriptions. The engine decides what is sent and when."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from api.clock import Clock
from api.http.cursors import read_id
from api.http.errors import InvalidInput, NotFound
from api.http.idempotency import KEPT, KeyReused
from api.http.pages import cut_page
from api.http.times import read_time
from api.security.callers import Principal
from api.security.sealing import Sealer
from api.settings import ApiSettings
from api.webhooks import shapes
from api.webhooks.errors import (
    NoSuchDelivery,
    NoSuchWebhook,
    TestNotReplayed,
    WebhookIsDisabled,
    WebhookLimit,
)
from api.webhooks.records import DeliveryWithData, Subscription
from api.webhooks.repository import DeliveryFilter, Replay, WebhookRepository
from api.webhooks.rules import LIMITS, Wanted, read_events, read_filter, read_url, require_order
from api.webhooks.schemas import (
    CreatedWebhook,
    CreateRequest,
    Deleted,
    Delivery,
    DeliveryDetail,
    DeliveryPage,
    Preview,
    PreviewRequest,
    Queued,
    ReplayRequest,
    RotatedSecret,
    UpdateRequest,
    Webhook,
    WebhookList,
)
from warehouse.delivery.signing import make_secret
from warehouse.domain.chains import Chains
from warehouse.domain.events.catalogue import EVENTS

BOTH_VALID: Final = timedelta(hours=24)
"""How long a secret stays valid after it was replaced."""
LOOK_BACK: Final = timedelta(days=30)
MAX_REPLAYED: Final = 10_000
MAX_COUNTED: Final = 10_000
MAX_LATEST: Final = 20


@dataclass(frozen=True, slots=True)
class WebhookService:
    """The subscriptions of the caller's account."""

    repository: WebhookRepository
    sealer: Sealer
    chains: Chains
    clock: Clock
    settings: ApiSettings

    async def create(self, owner: Principal, body: CreateRequest, key: str | None) -> CreatedWebhook:
        """A new subscription with its secret. Safe to repeat with the same key: the answer is the subscription that was
        made before."""
        url = read_url(body.url, self.settings)
        crown_ids, chain_ids = read_filter(body.filter, self.chains)
        wanted = Wanted(read_events(body.events), crown_ids, chain_ids)
        now = self.clock.now()
        async with self.repository.store.transaction() as transaction:
            count = await self.repository.lock_account(transaction, owner.account_id)
            if key is not None:
                made = await self.repository.made_with(transaction, owner.account_id, key)
                if made is not None and made.created_at > now - KEPT:
                    sealed = await self.repository.secret(transaction, made.id)
                    if not _is_same(made, url, wanted) or sealed is None:
                        raise KeyReused
                    return shapes.created(made, self.chains, self._unsealed(sealed, made.id))
                if made is not None:
                    await self.repository.forget_key(transaction, made.id)
            self._require_room(owner, count)
            row = await self.repository.insert(transaction, owner.account_id, url, wanted, key)
            secret = make_secret()
            sealed = self.sealer.seal(secret.encode(), str(row.id))
            await self.repository.add_secret(transaction, row.id, sealed, now=now, others_end_at=now)
        return shapes.created(row, self.chains, secret)

    async def list_all(self, owner: Principal) -> WebhookList:
        """All subscriptions of the account."""
        rows = await self.repository.of_account(owner.account_id, self.clock.now())
        return WebhookList(webhooks=[shapes.webhook(row, self.chains) for row in rows], limit=LIMITS[owner.plan])

    async def get(self, owner: Principal, id: str) -> Webhook:
        """One subscription."""
        return shapes.webhook(await self._row(owner, id), self.chains)

    async def update(self, owner: Principal, id: str, body: UpdateRequest) -> Webhook:
        """Change the members that the body has."""
        given = body.model_fields_set
        for name in ("url", "events", "enabled"):
            if name in given and getattr(body, name) is None:
                raise InvalidInput(name, "must not be null; leave it out to keep it")
        changes: dict[str, Any] = {}
        if body.url is not None:
            changes["url"] = read_url(body.url, self.settings)
        if body.events is not None:
            changes["events"] = read_events(body.events)
        if "filter" in given:
            changes["crown_ids"], changes["chain_ids"] = read_filter(body.filter, self.chains)
        await self._change(owner, id, changes, enabled=body.enabled)
        return await self.get(owner, id)

    async def reactivate(self, owner: Principal, id: str) -> Webhook:
        """Enable the subscription and reset its failures."""
        await self._change(owner, id, {"consecutive_failures": 0}, enabled=True)
        return await self.get(owner, id)

    async def delete(self, owner: Principal, id: str) -> Deleted:
        """Delete a subscription."""
        if not await self.repository.delete(owner.account_id, _uuid(id)):
            raise NoSuchWebhook
        return Deleted(id=str(_uuid(id)), deleted=True)

    async def rotate_secret(self, owner: Principal, id: str) -> RotatedSecret:
        """A new secret; the previous one stays valid for a day."""
        now = self.clock.now()
        secret = make_secret()
        async with self.repository.store.transaction() as transaction:
            row = await self.repository.lock(transaction, owner.account_id, _uuid(id))
            if row is None:
                raise NoSuchWebhook
            sealed = self.sealer.seal(secret.encode(), str(row.id))
            await self.repository.add_secret(transaction, row.id, sealed, now=now, others_end_at=now + BOTH_VALID)
        return shapes.rotated(row.id, secret, now + BOTH_VALID)

    async def test(self, owner: Principal, id: str, type: str | None) -> Delivery:
        """Queue one test, of a disabled subscription too. It is sent once, and does not count for its health."""
        row = await self._row(owner, id)
        wanted = read_events([type], "type")[0] if type is not None else row.events[0]
        example = EVENTS[wanted].example()
        return shapes.delivery(await self.repository.add_test(row.id, example, self.clock.now()))

    async def deliveries(
        self, owner: Principal, id: str, wanted: DeliveryFilter, *, cursor: str | None, limit: int
    ) -> DeliveryPage:
        """A page of the history, newest first."""
        row = await self._row(owner, id)
        if wanted.begin is not None and wanted.end is not None:
            require_order(wanted.begin, wanted.end)
        if wanted.type is not None:
            read_events([wanted.type], "type")
        wanted = replace(wanted, before=read_id(cursor))
        found = await self.repository.deliveries(row.id, wanted, limit + 1)
        shown, more = cut_page(found, limit)
        return DeliveryPage(
            deliveries=[shapes.delivery(one) for one in shown],
            has_more=more,
            next_cursor=str(shown[-1].id) if more else None,
        )

    async def delivery(self, owner: Principal, id: str, delivery_id: str) -> DeliveryDetail:
        """A delivery with its request and all attempts."""
        row = await self._row(owner, id)
        found = await self._delivery(row, delivery_id)
        return shapes.delivery_detail(found, await self.repository.attempts(found.id))

    async def replay(self, owner: Principal, id: str, delivery_id: str) -> Delivery:
        """Queue a delivery's event again. Safe to repeat: one that waits already is not queued again."""
        row = await self._active(owner, id)
        found = await self._delivery(row, delivery_id)
        if found.event_id is None:
            raise TestNotReplayed
        return shapes.delivery(await self.repository.replay(row.id, found.id, found.event_id, self.clock.now()))

    async def replay_range(self, owner: Principal, id: str, body: ReplayRequest) -> Queued:
        """Queue all events of a period that match the subscription. Safe to repeat while they wait."""
        now = self.clock.now()
        begin = read_time("from", body.begin)
        end = now if body.end is None else read_time("to", body.end)
        if begin < now - LOOK_BACK:
            raise InvalidInput("from", "must be within the last 30 days")
        require_order(begin, end)
        if body.only not in ("all", "undelivered"):
            raise InvalidInput("only", "must be all or undelivered")
        events = None if body.events is None else read_events(body.events)
        row = await self._active(owner, id)
        async with self.repository.store.transaction() as transaction:
            wanted = Replay(begin, end, events, body.only == "undelivered", MAX_REPLAYED + 1)
            queued = await self.repository.replay_events(transaction, row.id, wanted, now)
            if queued > MAX_REPLAYED:
                raise InvalidInput("from", f"more than {MAX_REPLAYED} events lie between from and to; narrow them")
        return Queued(queued=queued)

    async def preview(self, owner: Principal, body: PreviewRequest) -> Preview:
        """What a subscription would have received in the last 30 days."""
        crown_ids, chain_ids = read_filter(body.filter, self.chains)
        wanted = Wanted(read_events(body.events), crown_ids, chain_ids)
        end = self.clock.now()
        counts, latest = await self.repository.preview(
            owner.account_id, wanted, end=end, span=LOOK_BACK, most=MAX_COUNTED + 1, latest=MAX_LATEST
        )
        return shapes.preview(counts, latest, begin=end - LOOK_BACK, end=end, most=MAX_COUNTED)

    async def _row(self, owner: Principal, id: str) -> Subscription:
        row = await self.repository.find(owner.account_id, _uuid(id), self.clock.now())
        if row is None:
            raise NoSuchWebhook
        return row

    async def _active(self, owner: Principal, id: str) -> Subscription:
        row = await self._row(owner, id)
        if row.status != "active":
            raise WebhookIsDisabled
        return row

    async def _change(self, owner: Principal, id: str, changes: Mapping[str, Any], *, enabled: bool | None) -> None:
        async with self.repository.store.transaction() as transaction:
            count = await self.repository.lock_account(transaction, owner.account_id)
            row = await self.repository.lock(transaction, owner.account_id, _uuid(id))
            if row is None:
                raise NoSuchWebhook
            changed = replace(row, **changes)
            if enabled is True and row.status == "disabled":
                # An account that had a higher plan may have more than it could make now.
                self._require_room(owner, count - 1)
                changed = replace(
                    changed, status="active", disabled_reason=None, disabled_at=None, consecutive_failures=0
                )
            elif enabled is False and row.status == "active":
                changed = replace(changed, status="disabled", disabled_reason="owner", disabled_at=self.clock.now())
            await self.repository.update(transaction, changed)

    async def _delivery(self, row: Subscription, delivery_id: str) -> DeliveryWithData:
        found = await self.repository.delivery(row.id, _uuid(delivery_id, NoSuchDelivery))
        if found is None:
            raise NoSuchDelivery
        return found

    def _require_room(self, owner: Principal, others: int) -> None:
        limit = LIMITS[owner.plan]
        if others >= limit:
            raise WebhookLimit.of(owner.plan, limit, others)

    def _unsealed(self, sealed: bytes, id: UUID) -> str:
        return self.sealer.unseal(sealed, str(id)).decode()


def _is_same(made: Subscription, url: str, wanted: Wanted) -> bool:
    asked = (url, wanted.events, wanted.crown_ids, wanted.chain_ids)
    return made.status != "deleted" and (made.url, made.events, made.crown_ids, made.chain_ids) == asked


def _uuid(text: str, missing: type[NotFound] = NoSuchWebhook) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise missing from None
