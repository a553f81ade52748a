"""Finds the registration that a path names by id or symbol."""

from api.http.fields import read_symbol
from api.registrations.errors import RegistrationEnded, RegistrationNotFound
from api.registrations.repository import RegistrationRecord, RegistrationRepository
from warehouse.domain.registrations import MAX_TOKEN_ID


async def find_active(repository: RegistrationRepository, name: str, chain_id: int | None) -> RegistrationRecord:
    """The active registration that an id or a symbol means; see :func:`find_registration`.

    Raises:
        InvalidInput: neither an id nor a symbol.
        RegistrationNotFound, RegistrationEnded: there is none, or it has ended.
    """
    row = await find_registration(repository, name, chain_id)
    if row.ending is not None:
        raise RegistrationEnded(name, row.ending)
    return row


async def find_registration(repository: RegistrationRepository, name: str, chain_id: int | None) -> RegistrationRecord:
    """The registration that an id or a symbol means, ended or not, on the chain if one is named: the earliest mint with
    the id; the first active registration of the symbol, else the one that ended last.

    Raises:
        InvalidInput: neither an id nor a symbol.
        RegistrationNotFound: there is none.
    """
    if name.isascii() and name.isdecimal():
        number = int(name) if len(name) <= len(str(MAX_TOKEN_ID)) else MAX_TOKEN_ID + 1
        row = await repository.earliest_with_id(number, chain_id) if number <= MAX_TOKEN_ID else None
    else:
        row = await repository.first_of_symbol(read_symbol("id", name), chain_id)
    if row is None:
        raise RegistrationNotFound(f"id: no registration {name[:40]}")
    return row
