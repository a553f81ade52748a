"""Reads the inputs of the claim routes into a claim, or raises an error that names the field."""

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema

from api.claims.messages import Claim
from api.http import fields
from api.http.addresses import claim_symbol, evm_address
from api.http.errors import InvalidInput
from warehouse.domain.addresses import AddressFormat
from warehouse.domain.chains import Chain, Chains

_SIGNATURE = re.compile(r"0x(?:[0-9a-fA-F]{2}){1,32768}")
_SOLANA_CLAIMS = "claims on Solana have routes of their own under /api/v2/claim/solana"
_PROOF = re.compile(r"0x[0-9a-fA-F]{64}")


# The specification allows an integer, "solana" and chain keys here. The claimable list, from which a quick claim
# starts, has the number as text.
def _chain_number(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError("must be a chain id: a whole number, or one written as text")
    return str(value)


def _text(value: Any) -> Any:
    if not isinstance(value, str):
        raise ValueError("must be text")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ValueError("must be text: half of a surrogate pair is not a character") from error
    return value


def _whole(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError("must be a whole number")
    return value


ChainId = Annotated[
    str,
    BeforeValidator(_chain_number),
    WithJsonSchema(
        {
            "anyOf": [{"type": "integer"}, {"type": "string"}],
            "description": "Chain id, as an integer or as text; a chain key is understood too.",
            "examples": [8453],
        }
    ),
]
Text = Annotated[str, BeforeValidator(_text)]
Address = Annotated[Text, Field(json_schema_extra=fields.WALLET)]
Symbol = Annotated[Text, Field(json_schema_extra=fields.CLAIM_SYMBOL)]
EvmAddress = Annotated[Text, Field(json_schema_extra=fields.EVM_ADDRESS)]
Hash = Annotated[Text, Field(json_schema_extra=fields.HASH)]
Signature = Annotated[Text, Field(json_schema_extra=fields.SIGNATURE)]
ChainSignature = Annotated[Text, Field(json_schema_extra=fields.CHAIN_SIGNATURE)]
Whole = Annotated[int, BeforeValidator(_whole)]


def minting_chain(chains: Chains, name: str, field: str = "chainId") -> Chain:
    """The chain of a claim: one with a node and our registry.

    Raises:
        InvalidInput: there is no such chain, or tokens cannot be registered on it.
    """
    chain = chains.find(name.strip())
    if chain is None:
        raise InvalidInput(field, f"{name[:40]!r} is not a chain served here")
    if not chain.takes_claims:
        raise InvalidInput(field, f"tokens are not registered on {chain.name} here")
    return chain


def evm_minting_chain(chains: Chains, name: str, otherwise: str = _SOLANA_CLAIMS) -> Chain:
    """The chain of a request that is made on EVM chains only; ``otherwise`` says what there is on others.

    Raises:
        InvalidInput: as ``minting_chain``; or it is another kind of chain.
    """
    chain = minting_chain(chains, name)
    if chain.address_format is not AddressFormat.HEX:
        raise InvalidInput("chainId", f"must be an EVM chain; {otherwise}")
    return chain


def read_claim(chains: Chains, *, symbol: str, chain: str, token: str, wallet: str, wallet_field: str) -> Claim:
    """The claim of the four fields.

    Raises:
        InvalidInput: one of them is not valid.
    """
    return Claim(
        symbol=claim_symbol("symbol", symbol),
        chain=evm_minting_chain(chains, chain),
        token=evm_address("tokenAddress", token),
        wallet=evm_address(wallet_field, wallet),
    )


def signature_bytes(text: str) -> bytes:
    """The bytes of a signature.

    Raises:
        InvalidInput: it is not 0x and an even number of hexadecimal digits.
    """
    if not _SIGNATURE.fullmatch(text):
        raise InvalidInput("signature", "must be 0x and hexadecimal digits, two for each byte")
    return bytes.fromhex(text[2:])


def proof_hash(text: str) -> str:
    """The hash of a proof, in lower case.

    Raises:
        InvalidInput: it is not 0x and 64 hexadecimal digits.
    """
    if not _PROOF.fullmatch(text):
        raise InvalidInput("proofHash", "must be 0x and 64 hexadecimal digits")
    return text.lower()
