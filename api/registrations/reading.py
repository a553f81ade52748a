"""What the registration routes read from a path: a chain, a symbol, a registration by id or symbol."""

import re

from api.http.addresses import find_chain
from api.http.errors import InvalidInput, NotFound
from api.registrations.repository import RegistrationRepository
from warehouse.domain.chains import Chain, Chains
from warehouse.store import Row

_SYMBOL = re.compile(r"[A-Za-z0-9]{1,20}")
_MOST_ID = 2**63 - 1


async def find_registration(repository: RegistrationRepository, name: str, chain_id: int | None) -> Row:
    """The registration that an id or a symbol means, on the chain if one is named: the earliest mint with the id, the
    first registration of the symbol.

    Raises:
        InvalidInput: neither an id nor a symbol.
        NotFound: there is none.
    """
    if name.isascii() and name.isdecimal():
        number = int(name) if len(name) <= len(str(_MOST_ID)) else _MOST_ID + 1
        row = await repository.earliest_with_id(number, chain_id) if number <= _MOST_ID else None
    else:
        row = await repository.first_of_symbol(read_symbol("id", name), chain_id)
    if row is None:
        raise NotFound(f"id: no registration {name[:40]}")
    return row


def read_symbol(field: str, text: str) -> str:
    """A symbol to look up, upper-cased.

    Raises:
        InvalidInput: not 1 to 20 letters or digits.
    """
    if not _SYMBOL.fullmatch(text):
        raise InvalidInput(field, "must be 1 to 20 letters or digits")
    return text.upper()


def read_chain(chains: Chains, name: str) -> Chain:
    """The chain of a read route; those that only claims are served on are not read.

    Raises:
        InvalidInput: there is no such chain.
    """
    chain = find_chain(chains, "chain", name)
    if chain.claim_only:
        raise InvalidInput("chain", f"{chain.name} is served on claim routes only")
    return chain
