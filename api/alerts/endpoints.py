"""/api/v2/alerts: rules on metrics of tokens, and the alerts that they raise."""

from typing import Annotated
from uuid import UUID

from fastapi import Depends, Path, Query

from api.alerts import examples
from api.alerts.errors import (
    ChainUnsupported,
    CrownRequired,
    InvalidAlertType,
    InvalidThresholdOperator,
    NoSuchRule,
    RuleBeingCreated,
    RuleLimit,
    RulesUncounted,
    ThresholdOutOfReach,
    TierRequired,
    TokenNotIndexed,
    TokenUnchecked,
)
from api.alerts.previews import AlertPreviews
from api.alerts.repository import AlertRuleRepository, WatchedToken
from api.alerts.rules import read_filter
from api.alerts.schemas import (
    AlertPreviewAnswer,
    AlertPreviewData,
    AlertRule,
    AlertRuleAnswer,
    AlertRuleData,
    AlertRuleList,
    AlertRulesAnswer,
    CreateAlertRule,
    CreatedAlertRuleAnswer,
    DeletedRule,
    DeletedRuleAnswer,
    UpdateAlertRule,
)
from api.alerts.service import AlertRuleService
from api.http import fields
from api.http.dependencies import ChainsDep, ServicesDep
from api.http.errors import InvalidInput, raises
from api.http.examples import TOKEN, success_examples
from api.http.groups import SEARCHES, Credential, Origins, RouteGroup
from api.http.rendering import JsonResponse, respond
from api.http.routes import BodyRoute
from api.security.access import Session, with_scope
from api.security.callers import WalletSession
from warehouse.domain.alerts import RULES_OF_PLAN

GROUP = RouteGroup(prefix="/api/v2/alerts", credential=Credential.SESSION, origins=Origins.SITE)
PREVIEW_GROUP = RouteGroup(
    prefix=f"{GROUP.prefix}/preview", credential=Credential.SESSION, origins=Origins.SITE, admission=SEARCHES
)
router = GROUP.router(tags=["alerts"], route_class=BodyRoute)
preview_router = PREVIEW_GROUP.router(tags=["alerts"], route_class=BodyRoute)

_NEVER_FIRES = (
    InvalidAlertType,
    InvalidThresholdOperator,
    ThresholdOutOfReach,
    ChainUnsupported,
    CrownRequired,
    TokenNotIndexed,
)
Writer = Annotated[WalletSession, with_scope("api:write")]
RuleId = Annotated[UUID, Path(alias="id", description="The rule's id, as the list shows it.")]


@raises(InvalidInput)
async def _token_filter(
    chains: ChainsDep,
    chain_id: Annotated[
        str | None,
        Query(alias="chainId", description="Only this token's: the chain by CAIP-2.", examples=["eip155:8453"]),
    ] = None,
    token_address: Annotated[
        str | None,
        Query(
            alias="tokenAddress",
            description="Only this token's; given together with `chainId`.",
            examples=[TOKEN],
            json_schema_extra=fields.WALLET,
        ),
    ] = None,
    symbol: Annotated[
        str | None,
        Query(description="Not accepted: several tokens may have one symbol.", deprecated=True),
    ] = None,
) -> WatchedToken | None:
    if symbol is not None:
        raise InvalidInput("symbol", "is not accepted; name the token by chainId and tokenAddress")
    found = read_filter(chains, chain_id, token_address)
    return None if found is None else WatchedToken(*found)


async def _rule_service(services: ServicesDep) -> AlertRuleService:
    upgrade_url = f"{services.settings.public_site_url}/pricing"
    previews = AlertPreviews(services.store, services.warehouse)
    return AlertRuleService(AlertRuleRepository(services.store), previews, services.chains, upgrade_url)


TokenFilter = Annotated[WatchedToken | None, Depends(_token_filter)]
RuleServiceDep = Annotated[AlertRuleService, Depends(_rule_service)]


def _answer(rule: AlertRule) -> AlertRuleAnswer:
    return AlertRuleAnswer(data=AlertRuleData(rule=rule))


@router.get(
    "/rules",
    response_model=AlertRulesAnswer,
    responses=success_examples(("rules", examples.RULES), ("none", examples.NO_RULES)),
)
async def list_alert_rules(session: Session, token: TokenFilter, service: RuleServiceDep) -> JsonResponse:
    """The account's rules, oldest first; those of one token if it is named."""
    rules = await service.list_all(session, token)
    return respond(AlertRulesAnswer(data=AlertRuleList(rules=rules, limit=RULES_OF_PLAN[session.plan])))


@router.post(
    "/rules",
    status_code=201,
    response_model=CreatedAlertRuleAnswer,
    responses=success_examples(("created", examples.CREATED), status=201)
    | GROUP.responses(*_NEVER_FIRES, TierRequired, RuleLimit, TokenUnchecked, RulesUncounted, RuleBeingCreated),
)
async def create_alert_rule(session: Writer, body: CreateAlertRule, service: RuleServiceDep) -> JsonResponse:
    """Create a rule on one token. It is evaluated every 15 minutes, and fires once per breach: again only after it
    recovered, and after the cooldown. The answer says what it would have done in the last 30 days."""
    made = await service.create(session, body)
    return JsonResponse(CreatedAlertRuleAnswer(data=made).model_dump(by_alias=True), status_code=201)


@preview_router.post(
    "",
    response_model=AlertPreviewAnswer,
    responses=success_examples(("preview", examples.PREVIEW), ("not known", examples.NO_PREVIEW))
    | PREVIEW_GROUP.responses(*_NEVER_FIRES, TierRequired, TokenUnchecked),
)
async def preview_alert_rule(session: Session, body: CreateAlertRule, service: RuleServiceDep) -> JsonResponse:
    """How often a rule would have fired in the last 30 days, and when. Checked like a new rule, but nothing is
    created."""
    return respond(AlertPreviewAnswer(data=AlertPreviewData(preview=await service.preview(session, body))))


@router.put(
    "/rules/{id}",
    response_model=AlertRuleAnswer,
    responses=success_examples(("changed", examples.ONE_RULE))
    | GROUP.responses(*_NEVER_FIRES, NoSuchRule, TierRequired, TokenUnchecked),
)
async def update_alert_rule(
    session: Writer, id: RuleId, body: UpdateAlertRule, service: RuleServiceDep
) -> JsonResponse:
    """Change a rule. Members that are left out stay as they are. The rule is judged anew from then on, and an
    alert that it has open is resolved."""
    return respond(_answer(await service.update(session, id, body)))


@router.delete(
    "/rules/{id}",
    response_model=DeletedRuleAnswer,
    responses=success_examples(("deleted", examples.DELETED)) | GROUP.responses(InvalidInput, NoSuchRule),
)
async def delete_alert_rule(session: Writer, id: RuleId, service: RuleServiceDep) -> JsonResponse:
    """Delete a rule. An alert that it has open is resolved; past alerts stay in the history."""
    await service.delete(session, id)
    return respond(DeletedRuleAnswer(data=DeletedRule(id=str(id))))


@router.post(
    "/rules/{id}/toggle",
    response_model=AlertRuleAnswer,
    responses=success_examples(("switched off", examples.DISABLED))
    | GROUP.responses(InvalidInput, NoSuchRule, TierRequired),
)
async def toggle_alert_rule(session: Writer, id: RuleId, service: RuleServiceDep) -> JsonResponse:
    """Switch a rule off, or on again. An alert that it has open is resolved."""
    return respond(_answer(await service.toggle(session, id)))
