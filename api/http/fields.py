"""Public fields that several routes share: how they are described in OpenAPI, and how they are read.

The patterns are for OpenAPI alone. Routes check values with the functions below and those of ``addresses.py``: their
messages name the field and the rule.
"""

import re
from typing import Annotated, Any, Final

from fastapi import Path, Query

from api.http.errors import InvalidInput
from warehouse.domain import addresses
from warehouse.domain.chains import Chain, Chains
from warehouse.domain.symbols import SEARCHABLE_PATTERN

SYMBOL: Final[dict[str, Any]] = {"pattern": f"^{SEARCHABLE_PATTERN}$"}
CLAIM_SYMBOL: Final[dict[str, Any]] = {"pattern": "^[A-Za-z0-9]{1,12}$"}
EVM_ADDRESS: Final[dict[str, Any]] = {"pattern": "^0x[0-9a-fA-F]{40}$"}
SOLANA_ADDRESS: Final[dict[str, Any]] = {"pattern": "^[1-9A-HJ-NP-Za-km-z]{32,44}$"}
WALLET: Final[dict[str, Any]] = {"pattern": addresses.PATTERN}
HASH: Final[dict[str, Any]] = {"pattern": "^0x[0-9a-fA-F]{64}$"}
TRANSACTION: Final[dict[str, Any]] = {"pattern": "^(0x[0-9a-fA-F]{64}|[1-9A-HJ-NP-Za-km-z]{64,88})$"}
CHAIN_SIGNATURE: Final[dict[str, Any]] = {"pattern": "^(0x([0-9a-fA-F]{2}){1,32768}|[1-9A-HJ-NP-Za-km-z]{64,88})$"}
SIGNATURE: Final[dict[str, Any]] = {"pattern": "^0x([0-9a-fA-F]{2}){1,32768}$"}
_SYMBOL = re.compile(SEARCHABLE_PATTERN)

SymbolPath = Annotated[str, Path(description="Symbol, in any case.", examples=["PEPE"], json_schema_extra=SYMBOL)]
ChainPath = Annotated[str, Path(description="Chain key, alias or numeric chain id.", examples=["base"])]
TokenAddress = Annotated[
    str | None,
    Query(
        alias="tokenAddress",
        description="Scopes the lookup to one token of the symbol.",
        json_schema_extra=WALLET,
    ),
]
EvmTokenAddress = Annotated[
    str | None,
    Query(
        alias="tokenAddress",
        description="Scopes the lookup to one token of the symbol.",
        json_schema_extra=EVM_ADDRESS,
    ),
]
RangeEnd = Annotated[str | None, Query(alias="to", description="ISO 8601 or Unix seconds, exclusive. Default: now.")]
RangeCursor = Annotated[
    str | None, Query(description="`pagination.nextCursor` of the page before, with the same other parameters.")
]


def read_symbol(field: str, text: str) -> str:
    """A symbol to look up, upper-cased.

    Raises:
        InvalidInput: not 1 to 20 letters or digits.
    """
    if not _SYMBOL.fullmatch(text):
        raise InvalidInput(field, "must be 1 to 20 letters A-Z or digits")
    return text.upper()


def read_chain(chains: Chains, name: str, field: str = "chain") -> Chain:
    """The chain with a key, an alias or a numeric chain id, for routes that read indexed data.

    Raises:
        InvalidInput: there is no such chain, or only claims are served on it.
    """
    chain = chains.find(name)
    if chain is not None and chain.claim_only:
        raise InvalidInput(field, f"{chain.name} is served on claim routes only")
    if chain is None:
        served = ", ".join(known.key for known in chains.by_key.values() if not known.claim_only)
        raise InvalidInput(
            field, f"{name[:40]!r} is not a chain served here; must be one of {served}, an alias or a chain id"
        )
    return chain
