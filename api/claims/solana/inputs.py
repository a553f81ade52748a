"""Reads the inputs of the Solana claim routes into a claim, or raises an error that names the field."""

from solders.pubkey import Pubkey
from solders.signature import Signature

from api.claims.inputs import signature_bytes
from api.claims.messages import Claim
from api.http.addresses import chain_address, claim_symbol
from api.http.errors import InvalidInput
from warehouse.domain.addresses import AddressFormat
from warehouse.domain.chains import Chain, Chains


def solana_chain(chains: Chains, field: str) -> Chain:
    """The chain that these routes claim on.

    Raises:
        InvalidInput: tokens are not registered on it here.
    """
    found = [chain for chain in chains.by_key.values() if chain.address_format is AddressFormat.BASE58]
    chain = next((one for one in found if one.takes_claims), None)
    if chain is None:
        raise InvalidInput(field, f"tokens are not registered on {found[0].name} here")
    return chain


def read_claim(chains: Chains, *, symbol: str, mint: str, claimer: str) -> Claim:
    """The claim of the three fields.

    Raises:
        InvalidInput: one of them is not valid.
    """
    chain = solana_chain(chains, "tokenMint")
    return Claim(
        symbol=claim_symbol("symbol", symbol),
        chain=chain,
        token=chain_address("tokenMint", mint, chain),
        wallet=wallet_on_curve("claimer", claimer, chain),
    )


def signature_on(chain: Chain, text: str) -> bytes:
    """The bytes of a signature of a message: hexadecimal on EVM chains, 64 bytes in base58 on Solana.

    Raises:
        InvalidInput: it is written otherwise.
    """
    if chain.address_format is AddressFormat.HEX:
        return signature_bytes(text)
    try:
        return bytes(Signature.from_string(text))
    except ValueError as error:
        raise InvalidInput("signature", "must be 64 bytes in base58") from error


def wallet_of(field: str, text: str, chain: Chain) -> str:
    """The address of a wallet in the store's form; on Solana one that can sign.

    Raises:
        InvalidInput: it is not one of the chain's.
    """
    if chain.address_format is AddressFormat.HEX:
        return chain_address(field, text, chain)
    return wallet_on_curve(field, text, chain)


def wallet_on_curve(field: str, text: str, chain: Chain) -> str:
    """The address of a wallet that can sign.

    Raises:
        InvalidInput: it is no address of the chain, or one that is derived from a program, which has no private key.
    """
    address = chain_address(field, text, chain)
    if not Pubkey.from_string(address).is_on_curve():
        raise InvalidInput(field, "must be a wallet: this address is off the Ed25519 curve, so nobody can sign for it")
    return address
