"""How a domain is proven, and when a missing proof means that it was withdrawn."""

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from api.domains.repository import DomainRecord
from api.settings import ApiSettings
from warehouse.domain.chains import Chain

OTHER_TEXTS: Final = "other_values"
"""There are TXT records, but not the proof."""
_TOKEN_BYTES = 24


def record_name(settings: ApiSettings, domain: str) -> str:
    """The name of the TXT record that proves a domain."""
    return f"{settings.domain_record}.{domain}"


def new_challenge(chain: Chain, token_id: int) -> str:
    """The text that proves one domain for one registration. It names the registration for readers of the zone; its
    random part keeps it from being guessed for another domain or registration."""
    return f"{chain.caip2}/{token_id}/{secrets.token_urlsafe(_TOKEN_BYTES)}"


def is_proven(challenge: str, values: Sequence[str]) -> bool:
    """Whether a name's texts include the proof. Surrounding white space is ignored: registrars' forms add it."""
    return any(value.strip() == challenge for value in values)


def is_withdrawn(row: DomainRecord, now: datetime, settings: ApiSettings) -> bool:
    """Whether one more missing proof ends the verification: missing often enough in a row, and for long enough."""
    since = row.failing_since or now
    long_enough = now - since >= timedelta(hours=settings.domain_grace_hours)
    return long_enough and row.absences + 1 >= settings.domain_absences
