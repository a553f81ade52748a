"""The registry's accounts that a claim depends on."""

from dataclasses import dataclass

from solders.pubkey import Pubkey

from indexer.chains.errors import NodeLied, NodeUnavailable
from indexer.chains.solana.accounts import CLOCK, SYSTEM_PROGRAM, Account, multiple_accounts, read_accounts, read_clock
from indexer.chains.solana.reader import SolanaReader
from indexer.contracts.solana import program
from indexer.contracts.solana.program import CROWN_BYTES, HEADER_BYTES, Config, Crown

_DAY_SECONDS = 86_400
_NONCE = slice(16, 24)


@dataclass(frozen=True, slots=True)
class SymbolAccount:
    """The account of a symbol (``crownPda``): its registration, None for a free symbol; the nonce of the last statement
    used for it; what its rent still lacks, in lamports."""

    address: str
    crown: Crown | None
    last_nonce: int
    rent_due: int


@dataclass(frozen=True, slots=True)
class RegistryReading:
    """The registry as of one slot. ``now`` is the chain's time, in Unix seconds."""

    program: Pubkey
    config: Config
    symbol: SymbolAccount
    now: int

    @property
    def config_address(self) -> Pubkey:
        """Where the config is."""
        return program.config_address(self.program)

    @property
    def free_left(self) -> int:
        """How many more free registrations it takes until midnight UTC."""
        used = self.config.free_used if self.config.free_day == self.now // _DAY_SECONDS else 0
        return max(self.config.free_per_day - used, 0)

    @property
    def seconds_to_midnight(self) -> int:
        """How long until its day ends, in UTC."""
        return _DAY_SECONDS - self.now % _DAY_SECONDS


async def read_registry(reader: SolanaReader, symbol: str) -> RegistryReading:
    """The registry and the account of a symbol.

    Raises:
        RpcError: the chain does not answer, or has no registry for this cluster at its address.
    """
    address = Pubkey.from_string(reader.chain.contracts["registry"])
    config_address = program.config_address(address)
    symbol_address = program.crown_address(address, symbol)
    asked = multiple_accounts([str(config_address), str(symbol_address), CLOCK])
    _, (config, crown, clock) = read_accounts((await reader.settle([asked]))[0], 3)
    return RegistryReading(
        address,
        _config(config, address, reader.chain.caip2),
        _symbol_account(crown, str(symbol_address), str(address)),
        read_clock(clock),
    )


def _config(account: Account | None, address: Pubkey, caip2: str) -> Config:
    if account is None or account.owner != str(address):  # that does not make any symbol free
        raise NodeUnavailable("there is no registry at its address")
    try:
        config = Config.decode(account.data)
    except ValueError as error:
        raise NodeUnavailable(f"the registry's config cannot be read: {error}") from error
    reference = caip2.partition(":")[2]
    if not str(Pubkey(config.cluster)).startswith(reference):
        raise NodeUnavailable(f"the registry was made for another cluster than {caip2}")
    return config


def _symbol_account(account: Account | None, address: str, registry: str) -> SymbolAccount:
    rent = program.rent(CROWN_BYTES)
    if account is None or account.owner == SYSTEM_PROGRAM:  # lamports sent to it beforehand count towards the rent
        held = 0 if account is None else account.lamports
        return SymbolAccount(address, None, 0, max(rent - held, 0))
    if account.owner != registry or len(account.data) not in (HEADER_BYTES, CROWN_BYTES):
        raise NodeLied(f"the account of a symbol belongs to {account.owner} and has {len(account.data)} bytes")
    nonce = int.from_bytes(account.data[_NONCE], "little")
    return SymbolAccount(address, Crown.decode(account.data), nonce, max(rent - account.lamports, 0))
