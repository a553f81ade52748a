"""Statements of the operator about registrations: made by a command, signed whenever they are told."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import create_engine, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.engine import make_url
from sqlalchemy.pool import NullPool

from api.http.rendering import timestamp
from api.models import RegistrationAttestation, RegistrationRecord
from api.registrations.schemas import Attestation, Attestations
from api.security.jwt import Tokens
from api.store.store import Row

KIND = "registration-attestation+v1"


class AttestationError(ValueError):
    """What was asked for cannot be done; the message says why."""


class Attesting:
    """Statements of one store. Synchronous: for commands, not for requests."""

    def __init__(self, database_url: str) -> None:
        self._engine = create_engine(make_url(database_url).set(drivername="postgresql+psycopg"), poolclass=NullPool)

    def attest(self, chain_id: int, token_id: int, kind: str, statement: str) -> UUID:
        """Make a statement about a registration that stands; the same one made again is the one there is.

        Raises:
            AttestationError: no such registration stands.
        """
        place = {"chain_id": chain_id, "token_id": token_id}
        standing = select(RegistrationRecord.symbol).filter_by(**place, released_at=None, expired_at=None)
        wanted = {**place, "kind": kind, "statement": statement}
        with self._engine.begin() as connection:
            if connection.execute(standing).first() is None:
                raise AttestationError(f"registration: no {token_id} stands on chain {chain_id}")
            connection.execute(insert(RegistrationAttestation).values(**wanted).on_conflict_do_nothing())
            query = select(RegistrationAttestation.id).filter_by(**wanted, withdrawn_at=None)
            found: UUID = connection.execute(query).scalar_one()
        return found

    def withdraw(self, id: UUID) -> None:
        """Withdraw a statement; one that is withdrawn stays so.

        Raises:
            AttestationError: there is none.
        """
        withdrawn = func.coalesce(RegistrationAttestation.withdrawn_at, func.now())
        change = update(RegistrationAttestation).filter_by(id=id).values(withdrawn_at=withdrawn)
        with self._engine.begin() as connection:
            if connection.execute(change).rowcount == 0:
                raise AttestationError(f"there is no attestation {id}")

    def close(self) -> None:
        """Let go of the store."""
        self._engine.dispose()


def render_attestations(registration: Row, rows: Sequence[Row], tokens: Tokens, now: datetime) -> Attestations:
    """The statements about a registration, each signed."""
    about = {
        "chainId": registration["chain_id"],
        "tokenId": registration["token_id"],
        "symbol": registration["symbol"],
        "tokenAddress": registration["token_address"],
    }
    return Attestations(
        token_id=registration["token_id"],
        chain_id=registration["chain_id"],
        attestations=[
            Attestation(
                id=str(row["id"]),
                kind=row["kind"],
                statement=row["statement"],
                created_at=timestamp(row["created_at"]),
                jws=tokens.sign_statement(
                    KIND,
                    {
                        "jti": str(row["id"]),
                        "registration": about,
                        "kind": row["kind"],
                        "statement": row["statement"],
                        "attestedAt": timestamp(row["created_at"]),
                    },
                    now=now,
                ),
            )
            for row in rows
        ],
    )
