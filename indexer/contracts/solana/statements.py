"""Statements for the registry program, and the Ed25519 instruction that carries one.

A statement is ``regalia registry``, its kind (one byte), the cluster's genesis hash, the program's address, then its
own fields. ``program/statements.h`` checks them.
"""

import struct
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from solders.instruction import Instruction
from solders.pubkey import Pubkey

ED25519_PROGRAM = Pubkey.from_string("Ed25519SigVerify111111111111111111111111111")
MAX_SYMBOL = 12
_OWN_INSTRUCTION = 0xFFFF
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NONCES_IN_A_MICROSECOND = 4096


def nonce_at(moment: datetime) -> int:
    """The least nonce of a statement that the service makes at a moment: 4,096 for each microsecond since 1970.

    The program takes a statement about a symbol only with a higher nonce than the last one used, and at most an hour
    ahead of the chain's time, so all statements count in this unit.
    """
    return (moment - _EPOCH) // timedelta(microseconds=1) * _NONCES_IN_A_MICROSECOND


def next_nonce(last_nonce: int, now: int) -> int:
    """A nonce for a statement about a symbol that is made now. ``last_nonce`` is the last one used for the symbol,
    ``now`` the chain's time in seconds.

    It lies within the chain's present second, so the program refuses it when a registration ended in between, however
    wrong this machine's clock is. The microsecond makes two statements differ.
    """
    within_second = datetime.now(UTC).microsecond * _NONCES_IN_A_MICROSECOND
    return max(nonce_at(datetime.fromtimestamp(now, UTC)), last_nonce + 1) + within_second


@dataclass(frozen=True, slots=True)
class Domain:
    """Where a statement counts: one program on one cluster."""

    cluster: bytes
    program: Pubkey

    def _statement(self, kind: int, fields: bytes) -> bytes:
        return b"regalia registry" + bytes([kind]) + self.cluster + bytes(self.program) + fields

    def claim(self, claimer: Pubkey, mint: Pubkey, symbol: str, *, fee: int, deadline: int, nonce: int) -> bytes:
        """The service's authorisation to register a symbol. ``fee`` is in lamports; ``nonce`` must be higher than that
        of any statement used for the symbol."""
        padded = symbol.encode().ljust(MAX_SYMBOL, b"\0")
        fields = bytes(claimer) + bytes(mint) + bytes([len(symbol)]) + padded
        return self._statement(1, fields + struct.pack("<QqQ", fee, deadline, nonce))

    def end_announcement(self, token_id: int, reason: int, *, deadline: int, nonce: int) -> bytes:
        """The service announces the end of a registration."""
        return self._statement(2, struct.pack("<QBqQ", token_id, reason, deadline, nonce))

    def end_withdrawal(self, token_id: int, *, deadline: int, nonce: int) -> bytes:
        """The service takes an announced end back."""
        return self._statement(3, struct.pack("<QqQ", token_id, deadline, nonce))

    def settlement(self, terms: "Settlement", *, deadline: int, nonce: int) -> bytes:
        """The service's authorisation to carry out a deal."""
        return self._statement(4, terms.fields() + struct.pack("<qQ", deadline, nonce))

    def acceptance(self, signer: Pubkey, active_from: int) -> bytes:
        """The next signer shows that its key is at hand. ``active_from`` is the announced time."""
        return self._statement(5, bytes(signer) + struct.pack("<q", active_from))


@dataclass(frozen=True, slots=True)
class Settlement:
    """A deal: the registration goes to the offerer for an amount of a currency (a mint, in base units)."""

    deal: bytes
    token_id: int
    offerer: Pubkey
    currency: Pubkey
    amount: int

    def fields(self) -> bytes:
        """Its fields as the statement holds them."""
        return (
            self.deal
            + struct.pack("<Q", self.token_id)
            + bytes(self.offerer)
            + bytes(self.currency)
            + struct.pack("<Q", self.amount)
        )


def signed(statement: bytes, signer: Pubkey, signature: bytes) -> Instruction:
    """The Ed25519 program's check of a signature, in the only layout that the registry takes: key at 16, signature at
    48, statement at 112, all in this instruction."""
    own = _OWN_INSTRUCTION
    header = struct.pack("<BBHHHHHHH", 1, 0, 48, own, 16, own, 112, len(statement), own)
    return Instruction(ED25519_PROGRAM, header + bytes(signer) + signature + statement, [])
