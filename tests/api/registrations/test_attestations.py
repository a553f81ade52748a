"""The operator's attestations of registrations, and their verified domains."""

from datetime import UTC, datetime
from uuid import uuid4

import jwt
import pytest

from api.registrations.attesting import AttestationError, Attesting
from tests.factories.registrations import BASE, add_registration
from tests.fixtures.service import Service
from warehouse.postgres import Connection


@pytest.fixture
def attesting(store_url: str) -> Attesting:
    return Attesting(store_url)


async def test_an_attestation_is_shown_signed_and_counted(
    service: Service, store: Connection, attesting: Attesting
) -> None:
    add_registration(store)
    made = attesting.attest(BASE, 1, "identity", "The owner is known.")
    assert attesting.attest(BASE, 1, "identity", "The owner is known.") == made
    attesting.attest(BASE, 1, "partner", "A partner since 2026.")
    answer = (await service.get("/registration/PEPE/attestations", chain="base")).json()
    assert [one["kind"] for one in answer["attestations"]] == ["identity", "partner"]
    jwks = jwt.PyJWKSet.from_dict((await service.anonymous.get("/api/v2/apps/jwks")).json())
    jws = answer["attestations"][0]["jws"]
    claims = jwt.decode(jws, jwks[jwt.get_unverified_header(jws)["kid"]], algorithms=["EdDSA"])
    assert (claims["typ"], claims["jti"], claims["statement"]) == (
        "registration-attestation+v1", str(made), "The owner is known.",
    )  # fmt: skip
    assert claims["registration"]["tokenId"] == 1
    assert (await service.get("/registration/PEPE")).json()["attestationCount"] == 2
    attesting.withdraw(made)
    assert (await service.get("/registration/1")).json()["attestationCount"] == 1


def test_only_active_registrations_are_attested(store: Connection, attesting: Attesting) -> None:
    add_registration(store, expired_at=datetime.now(UTC))
    for token_id in (1, 2):
        with pytest.raises(AttestationError, match="chain 8453 has no active registration"):
            attesting.attest(BASE, token_id, "identity", "x")
    with pytest.raises(AttestationError, match="there is no attestation"):
        attesting.withdraw(uuid4())


async def test_only_verified_domains_are_shown(service: Service, store: Connection) -> None:
    add_registration(store)
    moment = datetime(2026, 1, 2, 12, tzinfo=UTC)
    for domain, verified in (("b.example", moment), ("a.example", moment), ("later.example", None)):
        store.execute(
            "INSERT INTO registration_domain (chain_id, token_id, domain, challenge, verified_at, vanity_enabled)"
            " VALUES (%s, 1, %s, '', %s, %s)",
            (BASE, domain, verified, domain == "b.example"),
        )
    wanted = [
        {"domain": "a.example", "verifiedAt": "2026-01-02T12:00:00.000Z", "vanityEnabled": False},
        {"domain": "b.example", "verifiedAt": "2026-01-02T12:00:00.000Z", "vanityEnabled": True},
    ]
    for path in ("/registration/1", "/registration/PEPE", "/registration/PEPE/base"):
        assert (await service.get(path)).json()["verifiedDomains"] == wanted
