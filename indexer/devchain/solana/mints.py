"""Instructions that create mints: SPL Token and Token-2022, with metadata inside the mint or in Metaplex's account.

Metaplex's program cannot be had; ``program/metadata.c`` stands in for it at its address.
"""

import hashlib
import struct
from functools import cache
from importlib.resources import files

from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from solders.system_program import ID as SYSTEM_PROGRAM
from solders.system_program import CreateAccountParams, create_account
from spl.token.constants import MINT_LEN, TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID
from spl.token.instructions import initialize_mint2, initialize_transfer_fee_config
from spl.token.models import InitializeMint2Params, InitializeTransferFeeConfigParams

from indexer.chains.solana import mint_accounts
from indexer.chains.solana.mint_accounts import METAPLEX_PROGRAM

METADATA_PROGRAM = Pubkey.from_string(METAPLEX_PROGRAM)
_LAMPORTS_PER_BYTE, _ACCOUNT_OVERHEAD_BYTES = 6_960, 128
# Of Token-2022: a mint is padded to the length of an account, then one byte says that it is a mint.
_EXTENDED_FROM = 166
_EXTENSION_HEADER = 4
_EXTENSION_BYTES = {"metadata_pointer": 64, "transfer_fee": 108, "permanent_delegate": 32}
_POINTER_INSTRUCTION, _PERMANENT_DELEGATE_INSTRUCTION = 39, 35
_CREATE_METADATA_V3 = 33
_INITIALIZE_METADATA = hashlib.sha256(b"spl_token_metadata_interface:initialize_account").digest()[:8]


def rent(size_bytes: int) -> int:
    """Lamports that keep an account of this size."""
    return (size_bytes + _ACCOUNT_OVERHEAD_BYTES) * _LAMPORTS_PER_BYTE


def spl_token(mint: Keypair, creator: Pubkey, decimals: int, freeze_authority: Pubkey | None) -> list[Instruction]:
    """Create a mint of SPL Token; the creator is its mint authority. Creator and mint sign."""
    return [
        _account(mint, creator, MINT_LEN, rent(MINT_LEN), TOKEN_PROGRAM_ID),
        _initialize(mint, creator, decimals, freeze_authority, TOKEN_PROGRAM_ID),
    ]


def token_2022(
    mint: Keypair,
    creator: Pubkey,
    decimals: int,
    freeze_authority: Pubkey | None,
    *,
    name: str,
    symbol: str,
    fee_basis_points: int = 0,
    permanent_delegate: Pubkey | None = None,
) -> list[Instruction]:
    """Create a mint of Token-2022 with its metadata inside. The creator has every authority. Creator and mint sign."""
    program, address = TOKEN_2022_PROGRAM_ID, mint.pubkey()
    pointer = bytes([_POINTER_INSTRUCTION, 0]) + bytes(creator) + bytes(address)
    extensions = ["metadata_pointer"]
    initialize = [Instruction(program, pointer, [AccountMeta(address, False, True)])]
    if fee_basis_points:
        extensions.append("transfer_fee")
        config = InitializeTransferFeeConfigParams(
            program_id=program,
            mint=address,
            transfer_fee_config_authority=creator,
            withdraw_withheld_authority=creator,
            transfer_fee_basis_points=fee_basis_points,
            maximum_fee=2**63,
        )
        initialize.append(initialize_transfer_fee_config(config))
    if permanent_delegate is not None:
        extensions.append("permanent_delegate")
        data = bytes([_PERMANENT_DELEGATE_INSTRUCTION]) + bytes(permanent_delegate)
        initialize.append(Instruction(program, data, [AccountMeta(address, False, True)]))
    size = _EXTENDED_FROM + sum(_EXTENSION_HEADER + _EXTENSION_BYTES[one] for one in extensions)
    metadata = _texts(name, symbol, "")
    # The program makes the account longer for the metadata, whose rent must be there.
    later = _EXTENSION_HEADER + 2 * 32 + len(metadata) + 4
    return [
        _account(mint, creator, size, rent(size + later), program),
        *initialize,
        _initialize(mint, creator, decimals, freeze_authority, program),
        Instruction(
            program,
            _INITIALIZE_METADATA + metadata,
            [
                AccountMeta(address, False, True),
                AccountMeta(creator, False, False),
                AccountMeta(address, False, False),
                AccountMeta(creator, True, False),
            ],
        ),
    ]


def metaplex_address(mint: Pubkey) -> Pubkey:
    """Where Metaplex keeps the metadata of a mint."""
    return Pubkey(mint_accounts.metaplex_address(bytes(mint)))


def describe(mint: Pubkey, authority: Pubkey, name: str, symbol: str) -> Instruction:
    """Create the metadata of a mint at Metaplex's address, changeable by the authority to mint, who signs and pays."""
    no_fee, no_creators_collection_or_uses, changeable, no_details = b"\0\0", b"\0\0\0", b"\1", b"\0"
    rest = no_fee + no_creators_collection_or_uses + changeable + no_details
    accounts = [
        AccountMeta(metaplex_address(mint), False, True),
        AccountMeta(mint, False, False),
        AccountMeta(authority, True, False),
        AccountMeta(authority, True, True),
        AccountMeta(authority, False, False),
        AccountMeta(SYSTEM_PROGRAM, False, False),
    ]
    data = bytes([_CREATE_METADATA_V3]) + _texts(name, symbol, "") + rest
    return Instruction(METADATA_PROGRAM, data, accounts)


@cache
def metadata_code() -> bytes:
    """The compiled program that stands in for Metaplex's."""
    return files("indexer.devchain.solana").joinpath("program", "metadata.so").read_bytes()


def _account(mint: Keypair, creator: Pubkey, size: int, lamports: int, program: Pubkey) -> Instruction:
    params = CreateAccountParams(
        from_pubkey=creator, to_pubkey=mint.pubkey(), lamports=lamports, space=size, owner=program
    )
    return create_account(params)


def _initialize(
    mint: Keypair, creator: Pubkey, decimals: int, freeze_authority: Pubkey | None, program: Pubkey
) -> Instruction:
    return initialize_mint2(
        InitializeMint2Params(
            decimals=decimals,
            program_id=program,
            mint=mint.pubkey(),
            mint_authority=creator,
            freeze_authority=freeze_authority,
        )
    )


def _texts(*values: str) -> bytes:
    return b"".join(struct.pack("<I", len(value.encode())) + value.encode() for value in values)
