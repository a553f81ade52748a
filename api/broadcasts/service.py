"""Sending broadcasts: who may, what, and how often.

A send is one transaction that locks the page's registration, so that of any number of simultaneous sends each counts
those before it. It looks at the sender's role again under the lock. Everything that takes long, such as following links
and reading the warehouse, comes before.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from api.broadcasts.audience import Audience, Wanted
from api.broadcasts.ceilings import Ceiling, ceilings_of, first_free, refusal
from api.broadcasts.content import ContentRules
from api.broadcasts.errors import CeilingReached, WalletNotOnSession
from api.broadcasts.pages import PageSender
from api.broadcasts.repository import MAX_RECIPIENTS, AcceptedBroadcast, BroadcastRepository, Page, Sends
from api.broadcasts.schemas import (
    AcceptedAnswer,
    AudienceGiven,
    BroadcastGiven,
    BroadcastLimits,
    BroadcastPreview,
    CeilingState,
    ChannelState,
    DeliveryState,
)
from api.clock import Clock
from api.http.addresses import chain_address
from api.http.errors import InvalidInput
from api.http.fields import read_chain
from api.http.idempotency import KeyReused
from api.http.rendering import dumps
from api.http.times import read_time, timestamp
from api.pages.authority import NotAManager
from api.security.callers import WalletSession
from api.security.errors import PlanTooLow
from api.settings import ApiSettings
from api.vendors.messages import WITH_ROOMS, Channel, Vendor
from warehouse.domain.chains import Chains
from warehouse.store import Transaction

LEAST_AHEAD: Final = timedelta(minutes=5)
MOST_AHEAD: Final = timedelta(days=365)
PAID: Final = "pro"
_TEXTS: Final[Mapping[str, str]] = {
    "plan": "plan free allows one broadcast in 7 days",
    "hour": "a page may send {most} broadcasts an hour",
    "day": "a page may send {most} broadcasts a day",
    "first_week": "a page may send one broadcast a day in its first week",
}


@dataclass(frozen=True, slots=True)
class BroadcastService:
    """See the module."""

    repository: BroadcastRepository
    audience: Audience
    content: ContentRules
    vendors: Mapping[Channel, Vendor]
    chains: Chains
    clock: Clock
    settings: ApiSettings

    async def send(
        self, session: WalletSession, sender: PageSender, given: BroadcastGiven, key: str | None
    ) -> AcceptedAnswer:
        """Accept a broadcast. With an Idempotency-Key it is safe to repeat.

        Raises:
            InvalidInput: the form of something is wrong.
            WalletNotOnSession, NotAManager, PlanTooLow: the wallet may not send this.
            LinkBlocked, ImageRefused: the content is not allowed.
            CeilingReached: the page has sent enough.
        """
        now = self.clock.now()
        page = sender.page
        wallet = self._wallet(session, page, given)
        due_at = _due_at(given, now)
        self.content.check_form(given)
        self._check_audience(given)
        if given.chain_scope is not None:
            read_chain(self.chains, given.chain_scope, "chainScope")
        if not page.may_send(wallet):
            raise NotAManager
        wanted = await self._wanted(page, given)
        request_hash = hashlib.sha256(dumps([page.chain_id, page.token_id, given.model_dump(by_alias=True)])).digest()
        if key is not None and (made := await self._made_with(session, key)) is not None:
            return _accepted(_same(made, request_hash))
        await self.content.check(given)
        expected, _ = await self.audience.count(page, wanted, now)
        async with self.repository.store.transaction() as transaction:
            locked = await self.repository.lock(transaction, page)
            if locked is None or locked.transaction_hash != page.transaction_hash or not locked.may_send(wallet):
                raise NotAManager
            if key is not None and (made := await self._made_with(session, key, transaction)) is not None:
                return _accepted(_same(made, request_hash))
            sends = await self.repository.sends(page, now, transaction)
            plan = await self.repository.plan_of(locked.owner, transaction)
            self._require_room(self._ceilings_of(plan, page), sends, due_at, now)
            waits = expected > self.settings.broadcast_review_above and not sends.was_reviewed
            made = await transaction.row(
                "broadcasts/insert",
                {
                    **page.token_key,
                    **_columns(given),
                    "holder_groups": dumps([group.stored for group in wanted.groups]).decode(),
                    "account_id": session.account_id,
                    "wallet": wallet,
                    "key": key,
                    "request_hash": request_hash,
                    "status": "review" if waits else "queued",
                    "expected": expected,
                    "now": now,
                    "due_at": due_at,
                },
                AcceptedBroadcast,
            )
        assert made is not None  # noqa: S101 - an insert returns its row
        return _accepted(made)

    async def preview(self, sender: PageSender, given: AudienceGiven) -> BroadcastPreview:
        """Whom a broadcast would be for now."""
        self._check_audience(given)
        wanted = await self._wanted(sender.page, given)
        count, block = await self.audience.count(sender.page, wanted, self.clock.now())
        return BroadcastPreview(recipient_count=count, as_of_block=block)

    async def limits(self, sender: PageSender) -> BroadcastLimits:
        """What the page may send now."""
        now, page = self.clock.now(), sender.page
        plan = await self.repository.plan_of(page.owner)
        sends = await self.repository.sends(page, now)
        ceilings = self._ceilings_of(plan, page)
        free_at = first_free(ceilings, sends.times, now)
        return BroadcastLimits(
            plan=plan,
            limits=[_state(one, sends, now) for one in ceilings if one.until is None or now < one.until],
            can_send=free_at == now,
            resets_at=timestamp(free_at),
            max_recipients=MAX_RECIPIENTS,
            review_above=self.settings.broadcast_review_above,
            reviewed=sends.was_reviewed,
        )

    async def delivery(self, sender: PageSender) -> DeliveryState:
        """How the page's broadcasts are delivered."""
        page = sender.page
        accounts, by_channel = await self.repository.count_subscribers(page, list(self.vendors))
        rows = await self.repository.store.rows("broadcasts/list_rooms", page.token_key)
        rooms = {row["channel"] for row in rows}
        return DeliveryState(
            channels=[
                ChannelState(
                    channel=channel,
                    configured=channel is Channel.INAPP or channel in self.vendors,
                    subscribers=by_channel.get(channel, 0),
                    posts_publicly=channel in WITH_ROOMS and channel in self.vendors and channel in rooms,
                )
                for channel in Channel
            ],
            subscribers=accounts,
        )

    def _wallet(self, session: WalletSession, page: Page, given: BroadcastGiven) -> str:
        chain = self.chains.by_id(page.chain_id)
        if chain is None:
            raise InvalidInput("crownChain", "is not served here")
        wallet = chain_address("wallet", given.wallet, chain)
        if not session.controls(wallet, page.chain_id):
            raise WalletNotOnSession
        return wallet

    def _check_audience(self, given: AudienceGiven) -> None:
        if Channel.INAPP not in given.channels:
            raise InvalidInput("channels", "must include inapp")
        for field, values in (
            ("channels", given.channels),
            ("segments", given.segments),
            ("tierIds", given.tier_ids or []),
        ):
            if len(set(values)) < len(values):
                raise InvalidInput(field, "names one twice")
        if given.tier_ids is not None and not given.tier_ids:
            raise InvalidInput("tierIds", "must not be empty; leave it out for every subscribed holder")

    async def _wanted(self, page: Page, given: AudienceGiven) -> Wanted:
        """Whom a request means. Holder groups need the owner's paid plan, and are those that the page declares now.

        Raises:
            PlanTooLow: groups are named, and the owner has no paid plan.
            InvalidInput: the page declares no such group.
        """
        on_feed = isinstance(given, BroadcastGiven) and given.access_tier_id is not None
        if given.tier_ids is None and not on_feed:
            return Wanted(given.channels, given.segments)
        plan = await self.repository.plan_of(page.owner)
        if plan == "free":
            raise PlanTooLow(PAID, plan)
        if on_feed:
            raise InvalidInput("accessTierId", "cannot be used: pages have no feed; tierIds sends to groups alone")
        groups = await self.repository.groups(page)
        ids = given.tier_ids or []
        for id in ids:
            if id not in groups:
                raise InvalidInput("tierIds", f"the page has no holder group {id[:40]!r}")
        return Wanted(given.channels, given.segments, [groups[id] for id in ids])

    def _require_room(self, ceilings: tuple[Ceiling, ...], sends: Sends, due_at: datetime, now: datetime) -> None:
        refused = refusal(ceilings, sends.times, due_at)
        if refused is not None:
            ceiling, resets_at = refused
            raise CeilingReached.of(_TEXTS[ceiling.name].format(most=ceiling.most), resets_at, now)

    def _ceilings_of(self, plan: str, page: Page) -> tuple[Ceiling, ...]:
        settings = self.settings
        return ceilings_of(
            plan, page.minted_at, per_hour=settings.broadcasts_per_hour, per_day=settings.broadcasts_per_day
        )

    async def _made_with(
        self, session: WalletSession, key: str, transaction: Transaction | None = None
    ) -> AcceptedBroadcast | None:
        parameters = {"account_id": session.account_id, "key": key}
        return await (transaction or self.repository.store).row("broadcasts/find_by_key", parameters, AcceptedBroadcast)


def _columns(given: BroadcastGiven) -> dict[str, Any]:
    return {
        "kind": given.kind,
        "title": given.title,
        "body": given.body,
        "link_url": given.link_url,
        "image_url": given.image_url,
        "rich_content": None if given.rich_content is None else dumps(given.rich_content).decode(),
        "chain_scope": given.chain_scope,
        "source_type": given.source_type,
        "channels": list(given.channels),
        "segments": list(given.segments),
        "holdout_percent": given.holdout_percent,
    }


def _due_at(given: BroadcastGiven, now: datetime) -> datetime:
    if given.scheduled_at is None:
        return now
    due_at = read_time("scheduledAt", given.scheduled_at)
    if due_at < now + LEAST_AHEAD:
        raise InvalidInput("scheduledAt", "must be at least 5 minutes ahead")
    if due_at > now + MOST_AHEAD:
        raise InvalidInput("scheduledAt", "must be within a year")
    return due_at


def _same(made: AcceptedBroadcast, request_hash: bytes) -> AcceptedBroadcast:
    if bytes(made.request_hash) != request_hash:
        raise KeyReused
    return made


def _accepted(made: AcceptedBroadcast) -> AcceptedAnswer:
    return AcceptedAnswer(
        id=str(made.id),
        status=made.status,
        recipient_count=0 if made.status == "review" else made.expected,
        scheduled_at=timestamp(made.due_at) if made.due_at > made.created_at else None,
    )


def _state(ceiling: Ceiling, sends: Sends, now: datetime) -> CeilingState:
    used = ceiling.used(sends.times, now)
    return CeilingState(
        name=ceiling.name,
        limit=ceiling.most,
        window_seconds=int(ceiling.window.total_seconds()),
        used=used,
        remaining=max(0, ceiling.most - used),
    )
