"""``regalia attest``."""

import json
import re
from uuid import UUID

from api.ops.commands.opened import open_services
from api.registrations.attesting import AttestationError
from api.services import Services
from api.settings import load

_REGISTRATION = re.compile(r"([a-z0-9-]+):([1-9][0-9]{0,17})")
_KIND = re.compile(r"[a-z][a-z0-9-]{0,31}")
_MAX_LENGTH = 500


def attest(registration: str, kind: str, statement: str) -> None:
    """Attest something of a registration and print its id as one line of JSON.

    Raises:
        AttestationError: the registration, the kind or the statement is not one.
    """
    found = _REGISTRATION.fullmatch(registration)
    services = Services.of(load())
    chain = services.chains.find(found[1]) if found else None
    if found is None or chain is None:
        raise AttestationError(f"registration: {registration!r} must be a chain and an id, such as base:7")
    if not _KIND.fullmatch(kind):
        raise AttestationError(f"kind: {kind!r} must be 1 to 32 lower-case letters, digits and hyphens")
    if not 1 <= len(statement.strip()) <= _MAX_LENGTH:
        raise AttestationError(f"statement: must have 1 to {_MAX_LENGTH} characters")
    with open_services(services):
        made = services.attesting.attest(chain.chain_id, int(found[2]), kind, statement.strip())
    print(json.dumps({"id": str(made), "registration": f"{chain.key}:{found[2]}", "kind": kind}))


def withdraw(id: str) -> None:
    """Withdraw an attestation.

    Raises:
        AttestationError: there is none with that id.
    """
    try:
        wanted = UUID(id)
    except ValueError as error:
        raise AttestationError(f"{id!r} is no id of an attestation") from error
    with open_services() as services:
        services.attesting.withdraw(wanted)
    print(json.dumps({"id": str(wanted), "withdrawn": True}))
