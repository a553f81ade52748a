"""Errors of registration routes, and of every route that names a registration."""

from api.http.errors import NotFound, Unavailable


class RegistrationNotFound(NotFound):
    """No registration has this id or symbol."""

    text = "id: no registration PEPE"


class RegistrationEnded(NotFound):
    """The registration was released or has expired."""

    text = "id: registration PEPE has ended"


class RegistrationRemoved(NotFound):
    """A reorganisation removed the registration's mint while the request ran."""

    text = "id: a reorganisation of the chain removed the registration"


class ClaimableTimeout(Unavailable):
    """The lookup of claimable tokens exceeded its time limit. Never means an empty list."""

    text = "the lookup took too long, try again"
