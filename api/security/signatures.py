"""Verifies signatures of plain wallets, of contract wallets (EIP-1271), and of contract wallets that are not deployed
yet (ERC-6492)."""

import json
from functools import cache
from importlib.resources import files

from coincurve import PublicKey
from eth_abi.abi import decode, encode
from eth_abi.exceptions import DecodingError
from eth_account.messages import encode_defunct
from eth_utils.crypto import keccak
from solders.pubkey import Pubkey
from solders.signature import Signature

from indexer.chains.errors import CallFailed, RpcError
from indexer.chains.evm.reader import EvmReader, data_bytes

_MAGIC_6492 = bytes.fromhex("6492" * 16)
_NO_FACTORY = "0x" + "00" * 20
# The call runs code of the signer's choice. Enough to deploy a contract wallet that checks a passkey, and bounded.
_CALL_GAS = 15_000_000
_HALF_ORDER = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0


def signed_digest(text: str) -> bytes:
    """The hash that a wallet signs for a message (EIP-191, personal_sign)."""
    message = encode_defunct(text=text)
    return keccak(b"\x19" + message.version + message.header + message.body)


async def is_signed_by(wallet: str, digest: bytes, signature: bytes, reader: EvmReader) -> bool:
    """Whether ``wallet`` signed ``digest``. Asks the chain only if the wallet's own key did not sign.

    Raises:
        RpcError: the chain does not answer.
    """
    if recover(digest, signature) == wallet:
        return True
    if not signature:
        return False
    factory, factory_call, inner = _NO_FACTORY, b"", signature
    if is_of_undeployed_wallet(signature):
        try:
            factory, factory_call, inner = decode(["address", "bytes", "bytes"], signature[:-32])
        except (DecodingError, OverflowError):
            return False
    arguments = encode(
        ["address", "bytes32", "address", "bytes", "bytes"], [wallet, digest, factory, factory_call, inner]
    )
    call = {"data": _validator() + arguments.hex(), "gas": hex(_CALL_GAS)}
    answer = (await reader.settle([("eth_call", (call, "latest"))]))[0]
    if isinstance(answer, CallFailed):
        return False
    if isinstance(answer, RpcError):
        raise answer
    return data_bytes(answer) == b"\x01"


def is_signed_by_key(wallet: str, text: str, signature: bytes) -> bool:
    """Whether a wallet of Solana (base58) signed the text itself with Ed25519, as ``signMessage`` of wallets does.

    Strict, as validators verify: keys of small order, for which anyone could sign, are refused.
    """
    return len(signature) == 64 and Signature.from_bytes(signature).verify(Pubkey.from_string(wallet), text.encode())


def is_of_undeployed_wallet(signature: bytes) -> bool:
    """Whether a signature brings along how to deploy its wallet (ERC-6492), which contracts do not take."""
    return signature.endswith(_MAGIC_6492)


def canonical(signature: bytes) -> bytes | None:
    """A key's signature as contracts take it: 65 bytes, of which the last is 27 or 28. Wallets also give 64 in compact
    form (EIP-2098), or 0 or 1 at the end; None if it is none of these."""
    if len(signature) == 64:
        upper = int.from_bytes(signature[32:], "big")
        s = (upper & ((1 << 255) - 1)).to_bytes(32, "big")
        signature = signature[:32] + s + bytes([upper >> 255])
    if len(signature) != 65:
        return None
    parity = signature[64] - 27 if signature[64] >= 27 else signature[64]
    # A signature with s in the upper half is the malleated form of another one; wallets do not produce it.
    if parity not in (0, 1) or int.from_bytes(signature[32:64], "big") > _HALF_ORDER:
        return None
    return signature[:64] + bytes([27 + parity])


def recover(digest: bytes, signature: bytes) -> str | None:
    """The address whose key signed; None if the signature is malformed."""
    given = canonical(signature)
    if given is None:
        return None
    try:
        key = PublicKey.from_signature_and_message(given[:64] + bytes([given[64] - 27]), digest, hasher=None)
    except ValueError:
        return None
    return "0x" + keccak(key.format(compressed=False)[1:])[12:].hex()


@cache
def _validator() -> str:
    """Creation code that checks a contract wallet's signature (indexer/contracts/SignatureValidator.sol)."""
    build = files("indexer.contracts").joinpath("build", "SignatureValidator.json").read_text()
    code: str = json.loads(build)["bytecode"]
    return code
