"""Refusals of the domain routes."""

from collections.abc import Mapping
from typing import Any, ClassVar

from api.domains import examples
from api.domains.repository import MAX_DOMAINS
from api.domains.schemas import MissingRecord
from api.http.errors import Conflict, NotFound, Unavailable


class DomainLimit(Conflict):
    """The registration has as many domains as it may."""

    code = "DOMAIN_LIMIT"
    text = f"a registration has at most {MAX_DOMAINS} domains"


class DomainNotProven(Conflict):
    """The name servers answered, and the TXT record is not there."""

    code = "DOMAIN_NOT_PROVEN"
    text = "the TXT record ... is not there yet"
    details_schema = MissingRecord
    example_details: ClassVar[Mapping[str, Any]] = examples.NOT_PROVEN


class DomainTaken(Conflict):
    """Another registration proves the domain."""

    code = "DOMAIN_TAKEN"
    text = "pepe.example is verified for another registration of this chain, whose record is there, too"


class DomainNotVerified(Conflict):
    """The change needs a verified domain."""

    code = "DOMAIN_NOT_VERIFIED"
    text = "pepe.example is not verified"


class DomainNotRequested(NotFound):
    """The registration has not asked for the domain."""

    text = "domain: pepe.example was not asked for"


class NameServersSilent(Unavailable):
    """The name servers gave no answer, which never means that the record is missing."""

    text = "the name servers did not say what is at _regalia-challenge.pepe.example, try again"
