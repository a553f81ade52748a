"""What clients send to the claim routes, made into a claim or refused with the field's name."""

from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from api.claims.messages import Claim
from api.core.addresses import claim_symbol, evm_address
from api.core.errors import InvalidInput
from indexer.chains.facts import Chain, Chains

_LONGEST_SIGNATURE = 2 * 32 * 1024


def _chain_number(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError("must be a chain id: an integer, or one written as text")
    return str(value)


def _text(value: Any) -> Any:
    if not isinstance(value, str):
        raise ValueError("must be text")
    return value


def _whole(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError("must be an integer")
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
Whole = Annotated[int, BeforeValidator(_whole)]


def minting_chain(chains: Chains, name: str, field: str = "chainId") -> Chain:
    """The chain a claim is for: one with a node and a registry of ours.

    Raises:
        InvalidInput: there is no such chain, or no token is registered on it.
    """
    chain = chains.find(name.strip())
    if chain is None:
        raise InvalidInput(field, f"{name[:40]!r} is not a chain served here")
    if chain.kind != "evm" or not chain.enabled or "registry" not in chain.contracts:
        raise InvalidInput(field, f"tokens are not registered on {chain.name} here")
    return chain


def read_claim(chains: Chains, *, symbol: str, chain: str, token: str, wallet: str, wallet_field: str) -> Claim:
    """The claim that the four fields describe.

    Raises:
        InvalidInput: one of them is wrong.
    """
    return Claim(
        symbol=claim_symbol("symbol", symbol),
        chain=minting_chain(chains, chain),
        token=evm_address("tokenAddress", token),
        wallet=evm_address(wallet_field, wallet),
    )


def signature_bytes(text: str) -> bytes:
    """The signature.

    Raises:
        InvalidInput: not 0x and an even number of hexadecimal digits.
    """
    digits = text.removeprefix("0x")
    if not digits or len(digits) > _LONGEST_SIGNATURE or not text.startswith("0x"):
        raise InvalidInput("signature", "must be 0x and hexadecimal digits")
    try:
        return bytes.fromhex(digits)
    except ValueError as error:
        raise InvalidInput("signature", "must be 0x and hexadecimal digits") from error


def proof_hash(text: str) -> str:
    """The name of a proof.

    Raises:
        InvalidInput: not 0x and 64 hexadecimal digits.
    """
    digits = text.removeprefix("0x").lower()
    if len(digits) != 64 or len(text) != 66 or any(digit not in "0123456789abcdef" for digit in digits):
        raise InvalidInput("proofHash", "must be 0x and 64 hexadecimal digits")
    return "0x" + digits
