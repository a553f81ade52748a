"""/api/v2/alerts: what is firing, what was, and what the owner does about it."""

from typing import Annotated
from uuid import UUID

from fastapi import Depends, Path, Query

from api.alerts.endpoints import GROUP, TokenFilter, Writer
from api.alerts.errors import AlertIsResolved, NoSuchAlert
from api.alerts.raised import examples
from api.alerts.raised.repository import AlertRepository
from api.alerts.raised.schemas import (
    AlertAnswer,
    AlertData,
    AlertHistoryAnswer,
    AlertIds,
    AlertList,
    AlertOutcomes,
    AlertOutcomesAnswer,
    AlertPage,
    AlertsAnswer,
    AlertSummaryAnswer,
)
from api.alerts.raised.service import AlertService
from api.http.dependencies import ServicesDep
from api.http.errors import InvalidInput
from api.http.examples import success_examples
from api.http.rendering import JsonResponse, respond
from api.http.routes import BodyRoute
from api.security.access import Session

router = GROUP.router(tags=["alerts"], route_class=BodyRoute)


async def _service(services: ServicesDep) -> AlertService:
    return AlertService(AlertRepository(services.store), services.chains, services.settings.public_url)


ServiceDep = Annotated[AlertService, Depends(_service)]
AlertId = Annotated[UUID, Path(alias="id", description="The alert's id.")]


@router.get("/active", response_model=AlertsAnswer, responses=success_examples(("firing", examples.ACTIVE)))
async def list_active_alerts(session: Session, token: TokenFilter, service: ServiceDep) -> JsonResponse:
    """The alerts that are firing, acknowledged or not, newest first; those of one token if it is named."""
    return respond(AlertsAnswer(data=AlertList(alerts=await service.active(session.account_id, token))))


@router.get("/history", response_model=AlertHistoryAnswer, responses=success_examples(("page", examples.HISTORY)))
async def list_alert_history(
    session: Session,
    token: TokenFilter,
    service: ServiceDep,
    limit: Annotated[int, Query(ge=1, le=100, description="Alerts per page.")] = 20,
    offset: Annotated[int, Query(ge=0, le=100_000, description="How many of the newest to leave out.")] = 0,
) -> JsonResponse:
    """All alerts that the account's rules raised, newest first; those of one token if it is named."""
    alerts = await service.history(session.account_id, token, limit, offset)
    return respond(AlertHistoryAnswer(data=AlertPage(alerts=alerts, limit=limit, offset=offset)))


@router.get("/summary", response_model=AlertSummaryAnswer, responses=success_examples(("counts", examples.SUMMARY)))
async def summarize_alerts(session: Session, service: ServiceDep) -> JsonResponse:
    """How many alerts the account's rules raised, by status."""
    return respond(AlertSummaryAnswer(data=await service.summary(session.account_id)))


@router.post(
    "/bulk-acknowledge",
    response_model=AlertOutcomesAnswer,
    responses=success_examples(("answers", examples.OUTCOMES)),
)
async def acknowledge_alerts(session: Writer, body: AlertIds, service: ServiceDep) -> JsonResponse:
    """Acknowledge up to 100 alerts, with an answer for each id."""
    results = await service.act_on_all(session.account_id, "acknowledge", body.ids)
    return respond(AlertOutcomesAnswer(data=AlertOutcomes(results=results)))


@router.post(
    "/bulk-resolve",
    response_model=AlertOutcomesAnswer,
    responses=success_examples(("answers", examples.ALL_RESOLVED)),
)
async def resolve_alerts(session: Writer, body: AlertIds, service: ServiceDep) -> JsonResponse:
    """Resolve up to 100 alerts, with an answer for each id."""
    results = await service.act_on_all(session.account_id, "resolve", body.ids)
    return respond(AlertOutcomesAnswer(data=AlertOutcomes(results=results)))


@router.post(
    "/{id}/acknowledge",
    response_model=AlertAnswer,
    responses=success_examples(("acknowledged", examples.ACKNOWLEDGED))
    | GROUP.responses(InvalidInput, NoSuchAlert, AlertIsResolved),
)
async def acknowledge_alert(session: Writer, id: AlertId, service: ServiceDep) -> JsonResponse:
    """Acknowledge an alert. It goes on firing, and is resolved when its readings recover."""
    return respond(AlertAnswer(data=AlertData(alert=await service.act(session.account_id, "acknowledge", id))))


@router.post(
    "/{id}/resolve",
    response_model=AlertAnswer,
    responses=success_examples(("resolved", examples.RESOLVED)) | GROUP.responses(InvalidInput, NoSuchAlert),
)
async def resolve_alert(session: Writer, id: AlertId, service: ServiceDep) -> JsonResponse:
    """Resolve an alert. Its rule does not fire again before the readings recover."""
    return respond(AlertAnswer(data=AlertData(alert=await service.act(session.account_id, "resolve", id))))
