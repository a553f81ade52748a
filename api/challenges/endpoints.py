"""/api/v2/registration/{id}/challenge: the controller of a senior token challenges a registration."""

from datetime import datetime, timedelta
from typing import Annotated

from fastapi import Depends, Path, Query

from api.challenges import examples
from api.challenges.errors import (
    ChallengeClosed,
    ChallengeDuplicate,
    ChallengePending,
    ChallengeRefused,
    ChallengeUnauthorized,
)
from api.challenges.messages import Challenge
from api.challenges.repository import ChallengeRecord, ChallengeRepository
from api.challenges.schemas import (
    Challenge as ChallengeAnswer,
)
from api.challenges.schemas import (
    ChallengeMessage,
    ChallengeMessageRequest,
    ChallengeRequest,
    Challenges,
)
from api.challenges.service import ChallengeService
from api.challenges.standings import Standings
from api.claims.dependencies import EvmEligibilityDep, SolanaEligibilityDep
from api.claims.errors import TokenUnverified
from api.claims.inputs import minting_chain
from api.claims.messages import Messages
from api.claims.solana.inputs import signature_on, wallet_of
from api.consents.migration import Migrations
from api.http.addresses import chain_address
from api.http.dependencies import ChainsDep, ServicesDep, StoreDep
from api.http.errors import InvalidInput, raises
from api.http.examples import success_examples
from api.http.groups import CLAIMS, RouteGroup
from api.http.rendering import JsonResponse, respond
from api.http.routes import BodyRoute, QueryRoute
from api.http.times import timestamp
from api.registrations.errors import RegistrationEnded, RegistrationNotFound, RegistrationRemoved
from api.registrations.reading import find_active, find_registration
from api.registrations.repository import RegistrationRecord, RegistrationRepository
from api.security.access import ApiKey
from api.security.scopes import KeyScope
from warehouse.domain.addresses import checksum_address
from warehouse.domain.chains import Chain

GROUP = RouteGroup(prefix="/api/v2/registration", key_scope=KeyScope.CLAIM, admission=CLAIMS)
READS_GROUP = RouteGroup(prefix="/api/v2/registration", key_scope=KeyScope.READ)

router = GROUP.router("/api/v2/registration/{id}/challenge", tags=["challenges"], route_class=BodyRoute)
reads_router = READS_GROUP.router("/api/v2/registration/{id}/challenges", tags=["challenges"], route_class=QueryRoute)

Name = Annotated[str, Path(alias="id", description="Registration id, or a symbol.", examples=["PEPE"])]
ChainName = Annotated[
    str, Query(alias="chain", description="Chain of the registration: ids count on each chain anew.", examples=["base"])
]


@raises(InvalidInput, RegistrationNotFound, RegistrationEnded)
async def _challenged(
    store: StoreDep, chains: ChainsDep, name: Name, chain_name: ChainName
) -> tuple[RegistrationRecord, Chain]:
    chain = minting_chain(chains, chain_name, "chain")
    if not chain.can_index:
        raise InvalidInput("chain", f"tokens of {chain.name} are not indexed, so registrations cannot be challenged")
    return await find_active(RegistrationRepository(store), name, chain.chain_id), chain


ChallengedDep = Annotated[tuple[RegistrationRecord, Chain], Depends(_challenged)]


async def _service(
    services: ServicesDep, eligibility: EvmEligibilityDep, on_solana: SolanaEligibilityDep
) -> ChallengeService:
    settings = services.settings
    return ChallengeService(
        repository=ChallengeRepository(services.store),
        eligibility=eligibility,
        on_solana=on_solana,
        standings=Standings(services.warehouse, services.store, settings.copy_rules),
        migrations=Migrations(services.store, services.warehouse),
        messages=Messages(settings.service_name, settings.public_url),
        clock=services.clock,
        max_verdict_age=timedelta(seconds=settings.verdict_max_age_seconds),
    )


ServiceDep = Annotated[ChallengeService, Depends(_service)]


@router.post(
    "/message",
    response_model=ChallengeMessage,
    responses=success_examples(("message", examples.MESSAGE)),
)
async def create_challenge_message(
    body: ChallengeMessageRequest, access: ApiKey, challenged: ChallengedDep, service: ServiceDep
) -> JsonResponse:
    """The message that the challenger signs. It names the service, the registration, both tokens, the wallet and the
    time."""
    message, made_at = service.message(_challenge(challenged, body.token_address, body.wallet_address))
    return respond(ChallengeMessage(message=message, timestamp=made_at))


@router.post(
    "",
    response_model=ChallengeAnswer,
    responses=success_examples(("opened", examples.OPEN))
    | GROUP.responses(
        ChallengeUnauthorized,
        ChallengeClosed,
        ChallengeDuplicate,
        ChallengePending,
        ChallengeRefused,
        RegistrationRemoved,
        TokenUnverified,
    ),
)
async def open_challenge(
    body: ChallengeRequest, access: ApiKey, challenged: ChallengedDep, service: ServiceDep
) -> JsonResponse:
    """Challenge a registration in its grace period, as deployer, owner or admin of a senior established token whose
    symbol reads the same. It is decided after the present hour. Nothing is visible to others before it is upheld."""
    challenge = _challenge(challenged, body.token_address, body.wallet_address)
    made = await service.open(
        challenge, signature_on(challenge.chain, body.signature), body.timestamp, access.account_id
    )
    return respond(_render(made))


@reads_router.get(
    "",
    response_model=Challenges,
    responses=success_examples(("challenges", examples.LIST), ("none", examples.NONE))
    | READS_GROUP.responses(RegistrationNotFound),
)
async def list_challenges(
    access: ApiKey, store: StoreDep, chains: ChainsDep, name: Name, chain_name: ChainName
) -> JsonResponse:
    """Challenges of a registration, also of one that has ended: those that the caller's account opened, in any state,
    and those that were upheld."""
    chain = minting_chain(chains, chain_name, "chain")
    row = await find_registration(RegistrationRepository(store), name, chain.chain_id)
    found = await ChallengeRepository(store).visible(row.chain_id, row.token_id, access.account_id)
    answers = [_render(one) for one in found]
    return respond(Challenges(token_id=row.token_id, chain_id=row.chain_id, challenges=answers))


def _challenge(challenged: tuple[RegistrationRecord, Chain], token: str, wallet: str) -> Challenge:
    row, chain = challenged
    return Challenge(row, chain, chain_address("tokenAddress", token, chain), wallet_of("walletAddress", wallet, chain))


def _render(row: ChallengeRecord) -> ChallengeAnswer:
    return ChallengeAnswer.model_validate(
        {
            "id": str(row.id),
            "chain_id": row.chain_id,
            "token_id": row.token_id,
            "symbol": row.symbol,
            "registered_token": checksum_address(row.registered_token),
            "challenger_token": checksum_address(row.challenger_token),
            "challenger_wallet": checksum_address(row.challenger_wallet),
            "verification_method": row.verification_method,
            "state": row.state,
            "opened_at": timestamp(row.opened_at),
            "decision_due_at": timestamp(row.decide_at),
            "decided_at": _moment(row.decided_at),
            "decided_by": row.decided_by,
            "explanation": row.reason,
            "evidence": row.evidence,
            "announcement_transaction": row.announced_transaction,
            "execution_transaction": row.execution_transaction,
            "ended_at": _moment(row.ended_at),
            "reserved_until": _moment(row.reserved_until),
        }
    )


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else timestamp(moment)
