"""What proves that a domain is a registration's, and when a proof that is missing is taken for withdrawn."""

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from api.domains.repository import DomainRecord
from api.settings import ApiSettings
from warehouse.domain.chains import Chain

OTHER_TEXTS: Final = "other_values"
"""There are texts, and the proof is not among them."""
_TOKEN_BYTES = 24


def record_name(settings: ApiSettings, domain: str) -> str:
    """The name of the TXT record that proves a domain."""
    return f"{settings.domain_record}.{domain}"


def new_challenge(chain: Chain, token_id: int) -> str:
    """The text that proves one domain of one registration. It says which registration, for whoever reads the zone; that
    it can be guessed for no other domain and no other registration is its random part's doing."""
    return f"{chain.caip2}/{token_id}/{secrets.token_urlsafe(_TOKEN_BYTES)}"


def is_proven(challenge: str, values: Sequence[str]) -> bool:
    """Whether the proof is among a name's texts. White space around it is forgiven: forms of registrars add it."""
    return any(value.strip() == challenge for value in values)


def is_withdrawn(row: DomainRecord, now: datetime, settings: ApiSettings) -> bool:
    """Whether a verified domain whose proof is missing once more is verified no more: missing often enough on end, and
    for long enough."""
    since = row.failing_since or now
    long_enough = now - since >= timedelta(hours=settings.domain_grace_hours)
    return long_enough and row.absences + 1 >= settings.domain_absences
