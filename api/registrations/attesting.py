"""Statements of the operator about registrations: made by a command, signed whenever a route returns them."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from api.http.times import timestamp
from api.registrations.repository import AttestationRecord, RegistrationRecord
from api.registrations.schemas import Attestation, Attestations
from api.security.jwt import Tokens
from warehouse import postgres

KIND = "registration-attestation+v1"


class AttestationError(ValueError):
    """The attestation cannot be made or withdrawn; the message says why."""


class Attesting:
    """Makes and withdraws statements. Synchronous: for commands, not for requests."""

    def __init__(self, database_url: str) -> None:
        self._url = database_url

    def attest(self, chain_id: int, token_id: int, kind: str, statement: str) -> UUID:
        """Make a statement about an active registration. Repeating it returns the existing one.

        Raises:
            AttestationError: there is no such active registration.
        """
        wanted = {"chain_id": chain_id, "token_id": token_id, "kind": kind, "statement": statement}
        with postgres.transaction(self._url) as connection:
            if not postgres.run(connection, "attestations/find_registration", wanted):
                raise AttestationError(f"registration: chain {chain_id} has no active registration {token_id}")
            postgres.run(connection, "attestations/add", wanted)
            found = postgres.run(connection, "attestations/find", wanted)
        id: UUID = found[0]["id"]
        return id

    def withdraw(self, id: UUID) -> None:
        """Withdraw a statement. Safe to repeat.

        Raises:
            AttestationError: there is none.
        """
        with postgres.transaction(self._url) as connection:
            if not postgres.run(connection, "attestations/withdraw", {"id": id}):
                raise AttestationError(f"there is no attestation {id}")


def render_attestations(
    registration: RegistrationRecord, rows: Sequence[AttestationRecord], tokens: Tokens, now: datetime
) -> Attestations:
    """The statements about a registration, each signed."""
    about = {
        "chainId": registration.chain_id,
        "tokenId": registration.token_id,
        "symbol": registration.symbol,
        "tokenAddress": registration.token_address,
    }
    return Attestations(
        token_id=registration.token_id,
        chain_id=registration.chain_id,
        attestations=[
            Attestation(
                id=str(row.id),
                kind=row.kind,
                statement=row.statement,
                created_at=timestamp(row.created_at),
                jws=tokens.sign_statement(
                    KIND,
                    {
                        "jti": str(row.id),
                        "registration": about,
                        "kind": row.kind,
                        "statement": row.statement,
                        "attestedAt": timestamp(row.created_at),
                    },
                    now=now,
                ),
            )
            for row in rows
        ],
    )
