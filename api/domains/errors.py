"""Refusals of the domain routes."""

from collections.abc import Mapping
from typing import Any, ClassVar

from api.domains import examples
from api.domains.repository import MAX_DOMAINS
from api.http.errors import Conflict


class DomainLimit(Conflict):
    """The registration has as many domains as it may."""

    code = "DOMAIN_LIMIT"
    text = f"a registration has at most {MAX_DOMAINS} domains"


class DomainNotProven(Conflict):
    """The name servers answered, and the TXT record is not there."""

    code = "DOMAIN_NOT_PROVEN"
    text = "the TXT record ... is not there yet"
    example_details: ClassVar[Mapping[str, Any]] = examples.NOT_PROVEN


class DomainTaken(Conflict):
    """Another registration proves the domain."""

    code = "DOMAIN_TAKEN"
    text = "pepe.example is verified for another registration of this chain, whose record is there, too"


class DomainNotVerified(Conflict):
    """The change needs a verified domain."""

    code = "DOMAIN_NOT_VERIFIED"
    text = "pepe.example is not verified"
