"""What a registry on Solana holds now: its config, the account of a symbol and the chain's time, all as of one slot."""

from dataclasses import dataclass

from solders.pubkey import Pubkey

from indexer.chains.errors import NodeLied
from indexer.chains.solana.accounts import CLOCK, SYSTEM_PROGRAM, Account, multiple_accounts, read_accounts, read_clock
from indexer.chains.solana.reader import SolanaReader
from indexer.contracts.solana import program
from indexer.contracts.solana.program import CROWN_BYTES, HEADER_BYTES, Config, Crown, PendingEnd
from indexer.contracts.solana.statements import Domain

_DAY_SECONDS = 86_400
_LAST_NONCE = slice(16, 24)


@dataclass(frozen=True, slots=True)
class SymbolAccount:
    """The account of a symbol (``crownPda``, base58): its registration, None for a free symbol; the nonce of the last
    statement used for it, which stays when a registration ends; what its rent still lacks, in lamports."""

    address: str
    crown: Crown | None
    last_nonce: int
    rent_due: int


@dataclass(frozen=True, slots=True)
class RegistryState:
    """A registry's config, and the account of one symbol if it was asked for. ``now`` is chain time in seconds."""

    program: Pubkey
    config: Config
    account: SymbolAccount | None
    now: int

    @property
    def symbol(self) -> SymbolAccount:
        """The account of the symbol that was asked for."""
        assert self.account is not None  # noqa: S101 - callers asked for one
        return self.account

    @property
    def crown(self) -> Crown | None:
        """The registration of the symbol that was asked for, if there is one."""
        return None if self.account is None else self.account.crown

    @property
    def config_address(self) -> Pubkey:
        """Where the config is."""
        return program.config_address(self.program)

    @property
    def domain(self) -> Domain:
        """Where statements for this registry count."""
        return Domain(self.config.cluster, self.program)

    @property
    def free_left(self) -> int:
        """How many more free registrations it takes until midnight UTC."""
        used = self.config.free_used if self.config.free_day == self.now // _DAY_SECONDS else 0
        return max(self.config.free_per_day - used, 0)

    @property
    def seconds_to_midnight(self) -> int:
        """How long until its day ends, in UTC."""
        return _DAY_SECONDS - self.now % _DAY_SECONDS

    def registration(self, token_id: int) -> Crown | None:
        """The registration with this id; None when it has ended."""
        return self.crown if self.crown is not None and self.crown.token_id == token_id else None

    def end(self, token_id: int) -> PendingEnd | None:
        """The announced end of a registration; None where none counts: none was announced, it lapsed, or it was
        announced under an earlier signer."""
        crown = self.registration(token_id)
        end = None if crown is None else crown.end
        if end is None or end.term != self.config.signer_term or self.now > end.due_at + program.END_LASTS:
            return None
        return end


async def read_registry(reader: SolanaReader, address: str, symbol: str | None = None) -> RegistryState:
    """Read a registry, and the account of a symbol.

    Raises:
        RpcError: the nodes do not answer, or there is no registry for this cluster at the address. That does not make
            any symbol free.
    """
    registry = Pubkey.from_string(address)
    crown_address = None if symbol is None else str(program.crown_address(registry, symbol))
    wanted = [str(program.config_address(registry)), CLOCK, *([crown_address] if crown_address else [])]
    _, (config, clock, *crowns) = read_accounts((await reader.settle([multiple_accounts(wanted)]))[0], len(wanted))
    try:
        return RegistryState(
            registry,
            _config(config, address, reader.chain.caip2),
            None if crown_address is None else _symbol_account(crowns[0], crown_address, address),
            read_clock(clock),
        )
    except ValueError as error:
        raise NodeLied(f"there is no registry at {address}: {error}") from error


def _config(account: Account | None, registry: str, caip2: str) -> Config:
    config = Config.decode(account.data if account is not None and account.owner == registry else b"")
    if not str(Pubkey(config.cluster)).startswith(caip2.partition(":")[2]):
        raise ValueError(f"the one there was made for another cluster than {caip2}")
    return config


def _symbol_account(account: Account | None, address: str, registry: str) -> SymbolAccount:
    rent = program.rent(CROWN_BYTES)
    if account is None or account.owner == SYSTEM_PROGRAM:  # lamports sent to it beforehand count towards the rent
        held = 0 if account is None else account.lamports
        return SymbolAccount(address, None, 0, max(rent - held, 0))
    if account.owner != registry or len(account.data) not in (HEADER_BYTES, CROWN_BYTES):
        raise ValueError(f"the account of a symbol belongs to {account.owner} and has {len(account.data)} bytes")
    nonce = int.from_bytes(account.data[_LAST_NONCE], "little")
    return SymbolAccount(address, Crown.decode(account.data), nonce, max(rent - account.lamports, 0))
