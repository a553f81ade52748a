"""Blocks in the form of ``getBlock``, for programs that cannot run here: each part is stated by the test."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from solders.pubkey import Pubkey

from indexer.chains.solana.accounts import TOKEN_PROGRAM
from indexer.chains.solana.blocks import Block, DecodedBlock, decode_block

_DIGITS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def base58_text(raw: bytes) -> str:
    """Base58 of bytes of any length."""
    number, text = int.from_bytes(raw, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = _DIGITS[digit] + text
    return "1" * (len(raw) - len(raw.lstrip(b"\0"))) + text


def key(label: str) -> str:
    """The address that a label stands for; the address itself if it is one already."""
    return label if len(label) > 31 else str(Pubkey(hashlib.sha256(label.encode()).digest()))


def raw(label: str) -> bytes:
    """The same as 32 bytes."""
    return bytes(Pubkey.from_string(key(label)))


def signature(label: str) -> str:
    """A signature of 64 bytes."""
    return base58_text(hashlib.sha512(label.encode()).digest())


@dataclass(frozen=True, slots=True)
class Called:
    """An instruction: program, accounts, data, and the calls it makes."""

    program: str
    accounts: Sequence[str]
    data: bytes
    calls: Sequence["Called"] = ()


@dataclass(frozen=True, slots=True)
class Held:
    """A token account's balance before and after a transaction; None where it does not exist. Without an owner, the
    node does not tell it."""

    account: str
    mint: str
    before: int | None
    after: int | None
    owner: str
    new_owner: str = ""
    program: str = TOKEN_PROGRAM
    decimals: int = 6


@dataclass(frozen=True, slots=True)
class Sent:
    """A transaction. ``looked_up`` are accounts that came from a lookup table."""

    payer: str
    calls: Sequence[Called] = ()
    held: Sequence[Held] = ()
    signers: Sequence[str] = ()
    looked_up: Sequence[str] = ()
    failed: bool = False
    name: str = "transaction"

    def answer(self) -> dict[str, Any]:
        """As ``getBlock`` tells it."""
        looked_up = [key(label) for label in self.looked_up]
        named = [key(self.payer), *map(key, self.signers)]
        for call in _flat(self.calls):
            named += [*map(key, call.accounts), key(call.program)]
        named += [key(held.account) for held in self.held]
        static = [address for address in dict.fromkeys(named) if address not in looked_up]
        places = {address: place for place, address in enumerate([*static, *looked_up])}

        def instruction(call: Called, depth: int | None) -> dict[str, Any]:
            return {
                "programIdIndex": places[key(call.program)],
                "accounts": [places[key(label)] for label in call.accounts],
                "data": base58_text(call.data),
                "stackHeight": depth,
            }

        def inner(call: Called, depth: int) -> list[dict[str, Any]]:
            return [item for one in call.calls for item in (instruction(one, depth), *inner(one, depth + 1))]

        def owner(held: Held, side: str) -> dict[str, str]:
            found = held.new_owner if held.new_owner and side == "after" else held.owner
            return {"owner": key(found)} if found else {}

        def balances(side: str) -> list[dict[str, Any]]:
            return [
                {
                    "accountIndex": places[key(held.account)],
                    "mint": key(held.mint),
                    **owner(held, side),
                    "programId": held.program,
                    "uiTokenAmount": {"amount": str(getattr(held, side)), "decimals": held.decimals},
                }
                for held in self.held
                if getattr(held, side) is not None
            ]

        signers = 1 + len(set(map(key, self.signers)) - {key(self.payer)})
        return {
            "transaction": {
                "signatures": [signature(self.name)],
                "message": {
                    "accountKeys": static,
                    "header": {
                        "numRequiredSignatures": signers,
                        "numReadonlySignedAccounts": 0,
                        "numReadonlyUnsignedAccounts": 0,
                    },
                    "instructions": [instruction(call, None) for call in self.calls],
                    "recentBlockhash": key("blockhash"),
                },
            },
            "meta": {
                "err": {"InstructionError": [0, {"Custom": 1}]} if self.failed else None,
                "fee": 5000,
                "preBalances": [10**9] * len(places),
                "postBalances": [10**9] * len(places),
                "preTokenBalances": balances("before"),
                "postTokenBalances": balances("after"),
                "innerInstructions": [
                    {"index": place, "instructions": found}
                    for place, call in enumerate(self.calls)
                    if (found := inner(call, 2))
                ],
                "loadedAddresses": {"writable": looked_up, "readonly": []},
            },
            "version": 0 if looked_up else "legacy",
        }


def block(*transactions: Sent, slot: int = 7) -> DecodedBlock:
    """What decoders see of a block of these transactions, parsed from JSON."""
    answer = {
        "blockhash": key(f"block {slot}"),
        "previousBlockhash": key(f"block {slot - 1}"),
        "parentSlot": slot - 1,
        "blockTime": 1_750_000_000 + slot,
        "blockHeight": slot,
        "transactions": [sent.answer() for sent in transactions],
    }
    return decode_block(slot, msgspec.json.decode(msgspec.json.encode(answer), type=Block))


def _flat(calls: Sequence[Called]) -> list[Called]:
    return [found for call in calls for found in (call, *_flat(call.calls))]
