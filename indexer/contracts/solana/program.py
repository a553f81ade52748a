"""The registry program on Solana: its addresses, its accounts as records, and its compiled form."""

import hashlib
from dataclasses import dataclass
from importlib.resources import files

from solders.pubkey import Pubkey

from indexer.contracts.solana import idl

CONFIG_BYTES = 256
CROWN_BYTES, HEADER_BYTES = 528, 24
"""Length of the account of a registered symbol, and of what stays of it when the registration has ended."""
MANAGER, MAINTAINER = 1, 2
END_LASTS = 30 * 86_400
"""For so many seconds after it is due, an end may be carried out."""
INACTIVE, CHALLENGE_UPHELD = 1, 2


class ArtifactChanged(ValueError):
    """The compiled program is not the one whose hash is recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Who decides, and the terms. Delays and times are in seconds, ``paid_from`` is in lamports.

    ``signer_term`` counts signers and suspensions: an end announced in an earlier term is void. ``free_day`` is the day
    (since 1970) that ``free_used`` counts. A time of 0 means that nothing is announced.
    """

    suspended: bool
    end_delay: int
    objection_delay: int
    signer_delay: int
    free_per_day: int
    free_used: int
    free_day: int
    signer_term: int
    paid_from: int
    last_token_id: int
    cluster: bytes
    signer: Pubkey
    guardian: Pubkey
    treasury: Pubkey
    next_signer: Pubkey
    next_signer_at: int
    next_guardian: Pubkey
    next_guardian_at: int

    @classmethod
    def decode(cls, data: bytes) -> "Config":
        """The config in its account.

        Raises:
            ValueError: the data is no config.
        """
        found = idl.decode_account("Config", data)
        found["suspended"] = bool(found["suspended"])
        return cls(**{name: value for name, value in found.items() if name not in ("version", "bump", "reserved")})


@dataclass(frozen=True, slots=True)
class PendingEnd:
    """An announced end. Times are chain time, in seconds since 1970; ``term`` is the signer's term it belongs to."""

    reason: int
    due_at: int
    objected: bool
    confirmed: bool
    term: int

    def is_due(self, now: int) -> bool:
        """Whether anybody may carry it out: it is due, has not lapsed, and no objection stands."""
        return self.due_at <= now <= self.due_at + END_LASTS and (self.confirmed or not self.objected)


@dataclass(frozen=True, slots=True)
class Crown:
    """A registered symbol."""

    symbol: str
    token_id: int
    owner: Pubkey
    mint: Pubkey
    registered_at: int
    managers: tuple[Pubkey, ...]
    maintainers: tuple[Pubkey, ...]
    uri: str
    peer: tuple[int, int] | None
    last_nonce: int
    end: PendingEnd | None

    @classmethod
    def decode(cls, data: bytes) -> "Crown | None":
        """The registration in an account of the program; None where it has ended.

        Raises:
            ValueError: the data is no such account.
        """
        if len(data) == HEADER_BYTES:
            return None
        fields = idl.decode_account("Crown", data)
        roles = fields["roles"][: fields["role_count"]]
        peer = (fields["peer_chain_id"], fields["peer_token_id"])
        return cls(
            symbol=fields["symbol"][: fields["symbol_length"]].decode(),
            token_id=fields["token_id"],
            owner=fields["owner"],
            mint=fields["mint"],
            registered_at=fields["registered_at"],
            managers=tuple(role["account"] for role in roles if role["kind"] == MANAGER),
            maintainers=tuple(role["account"] for role in roles if role["kind"] == MAINTAINER),
            uri=fields["uri"][: fields["uri_length"]].decode(),
            peer=peer if any(peer) else None,
            last_nonce=fields["last_nonce"],
            end=PendingEnd(
                fields["end_reason"],
                fields["end_due"],
                bool(fields["end_objected"]),
                bool(fields["end_confirmed"]),
                fields["end_term"],
            )
            if fields["end_reason"]
            else None,
        )


def config_address(program: Pubkey) -> Pubkey:
    """The config of a deployed program."""
    return Pubkey.find_program_address([b"config"], program)[0]


def crown_address(program: Pubkey, symbol: str) -> Pubkey:
    """The account of a symbol (``crownPda``), registered or not."""
    return Pubkey.find_program_address([b"crown", symbol.encode()], program)[0]


def rent(size: int) -> int:
    """The least balance in lamports that keeps an account with so many bytes of data, as the program computes it."""
    return (size + 128) * 6_960


def compiled() -> bytes:
    """The program as it is deployed.

    Raises:
        ArtifactChanged: the file does not have the recorded hash.
    """
    folder = files("indexer.contracts.solana")
    program = folder.joinpath("registry.so").read_bytes()
    recorded = folder.joinpath("registry.so.sha256").read_text().split()[0]
    if hashlib.sha256(program).hexdigest() != recorded:
        raise ArtifactChanged("registry.so does not have the hash in registry.so.sha256")
    return program
