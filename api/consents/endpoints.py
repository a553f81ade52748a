"""POST /claim/migration/message and /claim/migration: the controller of a token names its successor."""

from typing import Annotated, Any

from fastapi import Depends

from api.claims.controllers import Controllers
from api.claims.dependencies import EvmEligibilityDep, SolanaEligibilityDep
from api.claims.endpoints import GROUP
from api.claims.errors import ClaimUnauthorized, TokenUnverified
from api.claims.inputs import minting_chain
from api.claims.messages import Messages
from api.claims.solana.inputs import signature_on, wallet_of
from api.consents.messages import Consent
from api.consents.schemas import ConsentMessage, ConsentMessageRequest, ConsentRequest, MigrationConsent
from api.consents.service import ConsentService
from api.http.addresses import chain_address
from api.http.dependencies import ChainsDep, ServicesDep
from api.http.errors import InvalidInput
from api.http.examples import TOKEN, WALLET, success_examples
from api.http.rendering import JsonResponse, respond
from api.http.routes import BodyRoute
from api.http.times import timestamp
from api.security.access import ApiKey
from warehouse.domain.addresses import checksum_address
from warehouse.domain.chains import Chains

_MESSAGE: dict[str, Any] = {
    "message": "Regalia: name the successor of a token\n\nSigning proves that you control this wallet. ...",
    "timestamp": 1767225600,
}
_GIVEN: dict[str, Any] = {
    "chainId": 8453,
    "seniorAddress": "0x4F9Fd6Be4a90f2620860d680c0d4d5Fb53d1A825",
    "tokenAddress": TOKEN,
    "walletAddress": WALLET,
    "verificationMethod": "owner",
    "signedAt": "2026-01-01T00:00:00.000Z",
}

router = GROUP.router("/api/v2/claim/migration", tags=["claims"], route_class=BodyRoute)


async def _service(
    eligibility: EvmEligibilityDep, on_solana: SolanaEligibilityDep, services: ServicesDep
) -> ConsentService:
    messages = Messages(services.settings.service_name, services.settings.public_url)
    return ConsentService(services.store, Controllers(eligibility, on_solana), messages, services.clock)


ServiceDep = Annotated[ConsentService, Depends(_service)]


@router.post(
    "/message",
    response_model=ConsentMessage,
    responses=success_examples(("message", _MESSAGE)) | GROUP.responses(InvalidInput),
)
async def create_migration_message(
    body: ConsentMessageRequest, access: ApiKey, chains: ChainsDep, service: ServiceDep
) -> JsonResponse:
    """The message by which the senior token's deployer, owner or admin (on Solana deployer or authority) names its
    successor."""
    message, made_at = service.message(_consent(chains, body))
    return respond(ConsentMessage(message=message, timestamp=made_at))


@router.post(
    "",
    response_model=MigrationConsent,
    responses=success_examples(("kept", _GIVEN)) | GROUP.responses(ClaimUnauthorized, TokenUnverified),
)
async def consent_to_migration(
    body: ConsentRequest, access: ApiKey, chains: ChainsDep, service: ServiceDep
) -> JsonResponse:
    """Name the successor of a token. It is then not judged a copy of that token; it can still be one of another."""
    consent = _consent(chains, body)
    made = await service.give(consent, signature_on(consent.chain, body.signature), body.timestamp)
    return respond(
        MigrationConsent.model_validate(
            {
                "chain_id": consent.chain.chain_id,
                "senior_address": checksum_address(consent.senior),
                "token_address": checksum_address(consent.token),
                "wallet_address": checksum_address(made.wallet),
                "verification_method": made.verification_method,
                "signed_at": timestamp(made.signed_at),
            }
        )
    )


def _consent(chains: Chains, body: ConsentMessageRequest | ConsentRequest) -> Consent:
    chain = minting_chain(chains, body.chain_id)
    return Consent(
        chain=chain,
        senior=chain_address("seniorAddress", body.senior_address, chain),
        token=chain_address("tokenAddress", body.token_address, chain),
        wallet=wallet_of("walletAddress", body.wallet_address, chain),
    )
