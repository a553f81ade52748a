"""Solana's loader of programs: its instructions, and what its accounts hold.

Code is written into a buffer in pieces, and put at the program's address in one step. The program's account points to
the program data: the slot of the deployment, who may replace the code, and the code.
"""

import struct
from dataclasses import dataclass

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey
from solders.sysvar import CLOCK, RENT

LOADER = Pubkey.from_string("BPFLoaderUpgradeab1e11111111111111111111111")
SYSTEM_PROGRAM = Pubkey.default()
BUFFER_HEAD, PROGRAM_BYTES, PROGRAM_DATA_HEAD = 37, 36, 45
"""Bytes before the code in a buffer, of a program's account, and before the code in the program data."""
PIECE_BYTES = 900
"""Bytes of code that one transaction writes."""
_INITIALIZE_BUFFER, _WRITE, _DEPLOY, _SET_AUTHORITY = 0, 1, 2, 4


@dataclass(frozen=True, slots=True)
class ProgramData:
    """What is deployed: the slot of the deployment, who may replace the code (None: nobody), and the code."""

    slot: int
    upgrade_authority: Pubkey | None
    code: bytes

    @classmethod
    def decode(cls, data: bytes) -> "ProgramData":
        """The contents of a program data account.

        Raises:
            ValueError: it is none.
        """
        if len(data) < PROGRAM_DATA_HEAD or data[:4] != b"\3\0\0\0":
            raise ValueError("not a program data account")
        authority = Pubkey(data[13:45]) if data[12] else None
        return cls(struct.unpack_from("<Q", data, 4)[0], authority, data[PROGRAM_DATA_HEAD:])


def program_data_address(program: Pubkey) -> Pubkey:
    """Where the code of a program is."""
    return Pubkey.find_program_address([bytes(program)], LOADER)[0]


def initialize_buffer(buffer: Pubkey, authority: Pubkey) -> Instruction:
    """Make an account of the loader's a buffer that the authority fills."""
    return _call(_INITIALIZE_BUFFER, b"", [AccountMeta(buffer, False, True), AccountMeta(authority, False, False)])


def write(buffer: Pubkey, authority: Pubkey, offset: int, piece: bytes) -> Instruction:
    """Write a piece of code at an offset."""
    data = struct.pack("<IQ", offset, len(piece)) + piece
    return _call(_WRITE, data, [AccountMeta(buffer, False, True), AccountMeta(authority, True, False)])


def deploy(program: Pubkey, buffer: Pubkey, authority: Pubkey, payer: Pubkey, size: int) -> Instruction:
    """Put the buffer's code at the program's address, with room for ``size`` bytes. What the buffer held goes to the
    payer."""
    metas = [
        AccountMeta(payer, True, True),
        AccountMeta(program_data_address(program), False, True),
        AccountMeta(program, False, True),
        AccountMeta(buffer, False, True),
        AccountMeta(RENT, False, False),
        AccountMeta(CLOCK, False, False),
        AccountMeta(SYSTEM_PROGRAM, False, False),
        AccountMeta(authority, True, False),
    ]
    return _call(_DEPLOY, struct.pack("<Q", size), metas)


def set_upgrade_authority(program: Pubkey, authority: Pubkey, following: Pubkey | None) -> Instruction:
    """Hand over who may replace the code; None: nobody, for good."""
    metas = [AccountMeta(program_data_address(program), False, True), AccountMeta(authority, True, False)]
    if following is not None:
        metas.append(AccountMeta(following, False, False))
    return _call(_SET_AUTHORITY, b"", metas)


def _call(number: int, data: bytes, metas: list[AccountMeta]) -> Instruction:
    return Instruction(LOADER, struct.pack("<I", number) + data, metas)
