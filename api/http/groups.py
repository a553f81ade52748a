"""What a group of routes declares once, for everything that treats requests before and after they reach a route.

A group says how many of its requests run at a time, how large a body may be, what its requests are counted against,
how its errors look and which credential it takes. ``api/http/route_table.py`` finds the group of a request by method
and path, so that middleware knows it before routing. See docs/decisions/0027-route-groups.md.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import Any, Final

from fastapi import APIRouter
from fastapi.routing import APIRoute

from api.http.error_shapes import ErrorShape
from api.http.errors import ApiError, ChainUnavailable, Unavailable
from api.security.scopes import KeyScope
from api.settings import ApiSettings

JSON: Final = ("application/json",)


@dataclass(frozen=True, slots=True)
class AdmissionClass:
    """Requests that share a limit of concurrency.

    Args:
        name: label in the metrics.
        limit: how many may run at a time, from the settings.
        patience: how long a request may wait in the queue, in multiples of the usual time.
        streams_body: the body is read after admission, by the route. Otherwise admission reads all of it first, so that
            no slow client holds a slot.
    """

    name: str
    limit: Callable[[ApiSettings], int]
    patience: int = 1
    streams_body: bool = False


SEARCHES: Final = AdmissionClass("searches", lambda settings: settings.admission_searches)
"""Read the warehouse."""
READS: Final = AdmissionClass("reads", lambda settings: settings.admission_reads)
"""Read the store, or nothing."""
CLAIMS: Final = AdmissionClass("claims", lambda settings: settings.admission_claims, patience=4)
"""Also ask a chain or name servers. Their callers would rather wait than start again."""
UPLOADS: Final = AdmissionClass("uploads", lambda settings: settings.admission_uploads, patience=4, streams_body=True)
"""Have large bodies. Few run at a time, and only after the credential was checked is the body read."""
ADMISSION_CLASSES: Final = (SEARCHES, READS, CLAIMS, UPLOADS)


class Credential(StrEnum):
    """The credential that a group's routes take; the text is the access that ``api/security/access.py`` declares."""

    API_KEY = "api_key"
    SESSION = "session"
    KEY_OR_SESSION = "key_or_session"
    KEY_AND_SESSION = "key_and_session"
    OPTIONAL_SESSION = "optional_session"
    NONE = "public"


TAKE_KEYS: Final = (Credential.API_KEY, Credential.KEY_OR_SESSION, Credential.KEY_AND_SESSION)
"""Credentials for which an API key is sent, or may be."""


class Quota(Enum):
    """What a request is counted against."""

    ACCOUNT = "the plan's rate and daily quota"
    ACCOUNT_RATE = "the plan's rate; the daily quota counts it and never refuses it"
    ADDRESS = "the rate of the client's address"
    ADDRESS_HOLDINGS = "the rate of the client's address, and its lower rate for holdings"
    NONE = "nothing"


class Origins(Enum):
    """Web pages that may read a group's answers (CORS)."""

    NONE = "pages of the API's own origin only"
    SITE = "also pages of the configured site"
    ANY = "pages of any origin"


@dataclass(frozen=True, slots=True, eq=False)
class RouteGroup:
    """The declaration of a group.

    Args:
        prefix: path that the group's routes begin with. An unknown path below it is answered in the group's shape.
        admission: whose limit of concurrency applies; None lets every request through.
        credential: which credential the routes take.
        key_scope: the scope that an API key needs; every group whose routes take one declares it.
        quota: what requests are counted against.
        body_limit: bytes of the largest body, from the settings; the setting ``body_limit_bytes`` by default.
        body_types: media types of a body.
        errors: how errors are written.
        chain_unavailable: the error when a chain's node cannot answer.
        origins: which web pages may read the answers.
        streams: answers go on for as long as their client listens: no time limit, and no slot of admission.
    """

    prefix: str
    admission: AdmissionClass | None = READS
    credential: Credential = Credential.API_KEY
    key_scope: KeyScope | None = None
    quota: Quota = Quota.ACCOUNT
    body_limit: Callable[[ApiSettings], int] = lambda settings: settings.body_limit_bytes
    body_types: tuple[str, ...] = JSON
    errors: ErrorShape = field(default_factory=ErrorShape)
    chain_unavailable: type[Unavailable] = ChainUnavailable
    origins: Origins = Origins.NONE
    streams: bool = False

    def __post_init__(self) -> None:
        """Check that a scope is declared exactly where keys are taken."""
        takes_key = self.credential in TAKE_KEYS
        if takes_key is not (self.key_scope is not None):
            raise ValueError(
                f"group {self.prefix!r}: key_scope must be given if its routes take API keys, and only then"
            )

    def router(
        self, prefix: str | None = None, *, tags: Sequence[str | Enum], route_class: type[APIRoute] = APIRoute
    ) -> "GroupRouter":
        """A router for routes of this group; ``prefix`` is the group's own by default."""
        path = self.prefix if prefix is None else prefix
        return GroupRouter(group=self, prefix=path, tags=list(tags), route_class=route_class)

    def responses(self, *errors: type[ApiError]) -> dict[int | str, dict[str, Any]]:
        """Errors that a route raises, for its ``responses``. What follows from its signature and from the group is
        added to the document by ``api/http/statuses.py``."""
        return self.errors.responses(*errors)


class GroupRouter(APIRouter):
    """A router whose routes belong to one group."""

    def __init__(self, *, group: RouteGroup, **options: Any) -> None:
        super().__init__(**options)
        self.group = group


UNKNOWN: Final = RouteGroup(prefix="", credential=Credential.NONE, quota=Quota.NONE)
"""The group of paths that no route has."""
