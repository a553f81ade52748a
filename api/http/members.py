"""Types of members that many bodies share: how they are written, and what OpenAPI says of them.

They describe values and do not check them: answers are made by our own code, and requests are read by functions that
name the field and the rule (``api/http/fields.py``, ``api/http/addresses.py``). A member's own description replaces
that of its type.
"""

from collections.abc import Iterable
from decimal import Decimal
from typing import Annotated, Any, TypeVar

from pydantic import Field, WithJsonSchema
from pydantic.json_schema import SkipJsonSchema

from api.http import fields
from api.http.json_schema import NAME
from warehouse.domain.plans import PLANS

Value = TypeVar("Value")
Omittable = Annotated[Value | SkipJsonSchema[None], Field(exclude_if=lambda value: value is None)]
"""A member that is left out where it has no value, and is never null. Give it the default None."""


def text(description: str, **schema: Any) -> WithJsonSchema:
    """Describe a type whose values are text."""
    return WithJsonSchema({"type": "string", "description": description, **schema})


def one_of(name: str, description: str, values: Iterable[str]) -> WithJsonSchema:
    """Describe a type of closed values that are declared as data. In OpenAPI it is a schema of this name."""
    return text(description, enum=list(values), **{NAME: name})


def integer(description: str, **schema: Any) -> WithJsonSchema:
    """Describe a type whose values are whole numbers."""
    return WithJsonSchema({"type": "integer", "description": description, **schema})


def number(description: str, **schema: Any) -> WithJsonSchema:
    """Describe a type whose values are exact decimals."""
    return WithJsonSchema({"type": "number", "description": description, **schema})


# Times.
Timestamp = Annotated[str, text("ISO 8601, in UTC with milliseconds.", format="date-time")]
UnixSeconds = Annotated[int, integer("Unix time in seconds.", minimum=0)]

# Chains, and what is on them.
ChainNumber = Annotated[int, integer("Chain id: the EVM chain id, or 900900 for Solana.", minimum=1, examples=[8453])]
ChainKey = Annotated[str, text("Key of the chain.", examples=["base"])]
Caip2 = Annotated[
    str,
    text("The chain by CAIP-2.", pattern="^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$", examples=["eip155:8453"]),
]
BlockNumber = Annotated[int, integer("Block number; on Solana the slot.", minimum=0)]
Address = Annotated[str, text("EVM address with its EIP-55 checksum, or Solana address in base58.", **fields.WALLET)]
EvmAddress = Annotated[str, text("EVM address, with its EIP-55 checksum.", **fields.EVM_ADDRESS)]
Hash = Annotated[str, text("Hash: 0x and 64 hexadecimal digits.", **fields.HASH)]
Transaction = Annotated[
    str, text("Transaction: its hash, or on Solana its first signature in base58.", **fields.TRANSACTION)
]
HexBytes = Annotated[str, text("Bytes: 0x and two hexadecimal digits each.", pattern="^0x([0-9a-f]{2})*$")]
Wei = Annotated[
    str,
    text(
        "Amount in wei, in hexadecimal digits with 0x.",
        pattern="^0x(0|[1-9a-f][0-9a-f]*)$",
        examples=["0x2386f26fc1"],
    ),
]
Gas = Annotated[
    str, text("Units of gas, in hexadecimal digits with 0x.", pattern="^0x(0|[1-9a-f][0-9a-f]*)$", examples=["0x5208"])
]
Lamports = Annotated[int, integer("Amount in lamports: billionths of a SOL.", minimum=0, examples=[172000000])]
SolanaAddress = Annotated[
    str,
    text(
        "Solana address, in base58.",
        pattern="^[1-9A-HJ-NP-Za-km-z]{32,44}$",
        examples=["DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263"],
    ),
]
SolanaSignature = Annotated[
    str, text("Signature that names a transaction of Solana, in base58.", pattern="^[1-9A-HJ-NP-Za-km-z]{64,88}$")
]

# Tokens and registrations.
Symbol = Annotated[str, text("Symbol, in upper case.", minLength=1, examples=["PEPE"])]
TokenId = Annotated[int, integer("Id of the registration in its chain's registry, from 1.", minimum=1, examples=[7])]
Count = Annotated[int, integer("How many there are.", minimum=0)]

# Figures.
Usd = Annotated[Decimal, number("US dollars.")]
Score = Annotated[Decimal, number("From 0 to 100.", minimum=0, maximum=100)]

# Other text.
Digits = Annotated[str, text("Whole number in decimal digits.", pattern="^[0-9]+$")]
Uri = Annotated[str, text("Link.", format="uri")]
Uuid = Annotated[str, text("Id.", format="uuid")]
Sha256 = Annotated[str, text("SHA-256, in hexadecimal digits.", pattern="^[0-9a-f]{64}$")]
Jws = Annotated[
    str,
    text(
        "Signed statement as compact JWS; the keys are at /api/v2/apps/jwks.",
        pattern=r"^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]+$",
    ),
]
PlanName = Annotated[str, one_of("Plan", "A plan.", PLANS)]
NextCursor = Annotated[str | None, Field(description="Cursor of the next page; null on the last.")]
