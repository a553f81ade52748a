"""What a registry on Solana holds now: its config, a registration, and the chain's time, all as of one slot."""

from dataclasses import dataclass

from solders.pubkey import Pubkey

from indexer.chains.errors import NodeLied
from indexer.chains.solana.accounts import CLOCK, Account, multiple_accounts, read_accounts, read_clock
from indexer.chains.solana.reader import SolanaReader
from indexer.contracts.solana import program
from indexer.contracts.solana.program import Config, Crown, PendingEnd
from indexer.contracts.solana.statements import Domain


@dataclass(frozen=True, slots=True)
class RegistryState:
    """A registry's config, and the registration of one symbol if it was asked for and there is one. ``now`` is chain
    time in seconds."""

    program: Pubkey
    config: Config
    crown: Crown | None
    now: int

    @property
    def domain(self) -> Domain:
        """Where statements for this registry count."""
        return Domain(self.config.cluster, self.program)

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
    """Read a registry, and the registration of a symbol.

    Raises:
        RpcError: the nodes do not answer, or there is no such registry at the address.
    """
    registry = Pubkey.from_string(address)
    wanted = [str(program.config_address(registry)), CLOCK]
    if symbol is not None:
        wanted.append(str(program.crown_address(registry, symbol)))
    config, clock, *crowns = read_accounts(await reader.request(*_request(wanted)), len(wanted))[1]
    try:
        return RegistryState(
            registry,
            Config.decode(_data(config, address) or b""),
            Crown.decode(data) if crowns and (data := _data(crowns[0], address)) is not None else None,
            read_clock(clock),
        )
    except ValueError as error:
        raise NodeLied(f"there is no registry at {address}: {error}") from error


def _data(account: Account | None, owner: str) -> bytes | None:
    """An account's data, where the program owns it."""
    return account.data if account is not None and account.owner == owner else None


def _request(addresses: list[str]) -> tuple[str, ...]:
    method, parameters = multiple_accounts(addresses)
    return (method, *parameters)
