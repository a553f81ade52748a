"""What is known about a chain. ``warehouse.chains.facts`` reads it from TOML; nothing here contacts a node."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from warehouse.domain.addresses import AddressFormat
from warehouse.domain.pool_programs import Curve, PoolInstruction

KNOWN_CONTRACTS = frozenset({"registry", "factory", "checkout", "locker", "vaults"})
"""Names of our own contracts."""

ZERO_ADDRESS = "0x" + "00" * 20
"""Nobody; in pools of Uniswap V4 the native coin."""


class Capability(StrEnum):
    """What the code can do on a chain; whether a node and our contracts are configured is another question."""

    INDEX = "index"
    CLAIM = "claim"
    CREATE = "create"
    HEARTBEAT = "heartbeat"


@dataclass(frozen=True, slots=True)
class Asset:
    """A token the chain's prices rest on."""

    address: str
    symbol: str
    decimals: int


@dataclass(frozen=True, slots=True)
class Dex:
    """One deployment of a DEX: its protocol and the addresses that make its pools genuine.

    ``fee_ppm`` is the fee of V2 pools, which do not announce it, in parts per million. On Solana ``factory`` is the
    program that keeps the pools, and ``instructions`` are those that concern them; ``curve`` is what bonding curves
    begin with.
    """

    protocol: str
    name: str
    factory: str
    router: str | None = None
    fee_ppm: int = 3000
    instructions: tuple[PoolInstruction, ...] = ()
    curve: Curve | None = None


@dataclass(frozen=True, slots=True)
class Chain:
    """Facts of one chain. Addresses are stored texts (``warehouse.domain.addresses``).

    ``caip2`` is its CAIP-2 identifier, such as ``eip155:8453``. ``token_standard`` is what its fungible tokens follow.
    """

    key: str
    chain_id: int
    name: str
    kind: str
    caip2: str
    address_format: AddressFormat
    capabilities: frozenset[Capability]
    token_standard: str
    aliases: tuple[str, ...]
    native_symbol: str
    native_decimals: int
    explorer_url: str
    finality_blocks: int
    block_seconds: float
    claim_only: bool = False
    start_block: int = 0
    kept_months: int | None = None
    """How many months of transfers are kept besides the running one; None: all."""
    rpc_urls: tuple[str, ...] = ()
    wrapped_native: str | None = None
    stablecoins: tuple[Asset, ...] = ()
    dexes: tuple[Dex, ...] = ()
    contracts: Mapping[str, str] = field(default_factory=dict)
    relayers: tuple[str, ...] = ()
    """Accounts that send transactions for others."""
    launchpads: tuple[str, ...] = ()
    """Accounts that are in charge of other people's tokens, and programs whose tokens are made by others than their
    creators. Solana only."""
    creator_programs: tuple[str, ...] = ()
    """Programs that make tokens for whoever pays, and keep the right to mint themselves. Solana only."""
    control_methods: tuple[str, ...] = ()
    """How a wallet can control a token, the best proof first."""

    @property
    def quotes(self) -> tuple[Asset, ...]:
        """What prices rest on: the stablecoins, the most trusted first, then the native coin, wrapped and as the zero
        address."""
        native = (self.wrapped_native, ZERO_ADDRESS) if self.wrapped_native else (ZERO_ADDRESS,)
        return (*self.stablecoins, *(Asset(address, self.native_symbol, self.native_decimals) for address in native))

    @property
    def enabled(self) -> bool:
        """Whether a node is configured."""
        return bool(self.rpc_urls)

    @property
    def can_index(self) -> bool:
        """Whether its blocks can be indexed and its state read."""
        return Capability.INDEX in self.capabilities

    @property
    def can_claim(self) -> bool:
        """Whether symbols can be claimed on it, given a registry."""
        return Capability.CLAIM in self.capabilities

    @property
    def takes_claims(self) -> bool:
        """Whether symbols are registered on it here: it has a node and our registry."""
        return self.can_claim and self.enabled and "registry" in self.contracts

    @property
    def can_create(self) -> bool:
        """Whether tokens can be created on it, given a factory."""
        return Capability.CREATE in self.capabilities

    @property
    def has_heartbeats(self) -> bool:
        """Whether its tokens are scored. Registrations on other chains never become inactive or expire by score."""
        return Capability.HEARTBEAT in self.capabilities

    @property
    def has_authorities(self) -> bool:
        """Whether tokens have authorities (Solana) instead of an owner."""
        return "mint_authority" in self.control_methods

    @property
    def has_eip155_id(self) -> bool:
        """Whether ``chain_id`` is the one of EIP-155, rather than a number of ours."""
        return self.caip2 == f"eip155:{self.chain_id}"


@dataclass(frozen=True, slots=True)
class Chains:
    """All chains, looked up by key, alias or numeric id."""

    by_key: Mapping[str, Chain]

    def find(self, name: str) -> Chain | None:
        """The chain called ``name``: its key, an alias (``arb``, ``sol``, ``bsc``) or its decimal id, as answers show
        it (900900 for Solana)."""
        wanted = name.lower()
        if wanted in self.by_key:
            return self.by_key[wanted]
        for chain in self.by_key.values():
            if wanted in chain.aliases or wanted == str(chain.chain_id):
                return chain
        return None

    def by_id(self, chain_id: int) -> Chain | None:
        """The chain with this numeric id (Solana is 900900)."""
        return next((chain for chain in self.by_key.values() if chain.chain_id == chain_id), None)

    def enabled(self) -> tuple[Chain, ...]:
        """Chains with a node, in the order of the facts."""
        return tuple(chain for chain in self.by_key.values() if chain.enabled)
