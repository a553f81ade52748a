"""Errors of registration routes, and of every route that names a registration."""

from api.http.errors import NotFound, Unavailable
from api.http.times import timestamp
from api.registrations.examples import ENDED
from api.registrations.repository import Ending
from api.registrations.schemas import Ended


class RegistrationNotFound(NotFound):
    """No registration has this id or symbol."""

    text = "id: no registration PEPE"


class RegistrationEnded(NotFound):
    """The registration has ended. The body has ``endedAt`` and ``endReason`` (`released`, `settled`, `expired` or
    `challenge_upheld`)."""

    text = "id: registration PEPE has ended"
    details_schema = Ended
    example_details = ENDED

    def __init__(self, name: str, ending: Ending, *, field: str = "id") -> None:
        super().__init__(
            f"{field}: registration {name[:40]} has ended",
            details={"endedAt": timestamp(ending.at), "endReason": ending.reason},
        )


class RegistrationRemoved(NotFound):
    """A reorganisation removed the registration's mint while the request ran."""

    text = "id: a reorganisation of the chain removed the registration"


class ClaimableTimeout(Unavailable):
    """The lookup of claimable tokens exceeded its time limit. Never means an empty list."""

    text = "the lookup took too long, try again"
