"""What the chain says now about a mint and the wallet that claims it."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from api.claims.messages import Claim
from indexer.chains.errors import CallFailed, MethodMissing, NodeLimited
from indexer.chains.solana.accounts import (
    CLOCK,
    SYSTEM_PROGRAM,
    Account,
    multiple_accounts,
    read_accounts,
    read_clock,
    with_slot,
)
from indexer.chains.solana.base58 import key_bytes, key_text
from indexer.chains.solana.holdings import accounts_of, sum_of_accounts
from indexer.chains.solana.mint_accounts import (
    Metadata,
    Mint,
    is_single_item,
    metaplex_address,
    read_metaplex,
    read_mint,
    trusted_metadata,
)
from indexer.chains.solana.reader import SolanaReader
from indexer.chains.text import SYMBOL_CHARACTERS, clean_text

_NO_ACCOUNT = "There is no account at this address."
_NO_MINT = "The account at this address is not a mint of SPL Token or Token-2022."
_SINGLE_ITEM = "The mint is of a single item, not of a token."
_NO_METADATA = "The mint has no metadata that count: none of Metaplex's, and none of its own that its pointer names."
_NO_SYMBOL = "The metadata of the mint give no symbol."


@dataclass(frozen=True, slots=True)
class MintReading:
    """The mint and the wallet, as of one slot or a later one.

    Args:
        head_time: the chain's time.
        exists: whether there is an account at the mint's address.
        symbol: None where there is no token with a symbol; ``absence`` says why.
        mint_authority: base58; None for nobody. So is ``update_authority``.
        supply_raw: None where it is encrypted.
        balance_raw: what all token accounts of the wallet hold; None where the node does not list them.
        wallet: the wallet's own account; None for one that holds no lamports.
    """

    head_time: datetime
    exists: bool
    symbol: str | None
    absence: str
    mint_authority: str | None
    update_authority: str | None
    supply_raw: int | None
    balance_raw: int | None
    wallet: Account | None

    @property
    def is_plain_wallet(self) -> bool:
        """Whether the wallet's account is one that its key alone commands and that can pay.

        A program's account can have an address with a private key, too: whoever made a multisig account has it, and
        must not pass for all who are to sign.
        """
        return self.wallet is None or (self.wallet.owner == SYSTEM_PROGRAM and not self.wallet.data)

    @property
    def lamports(self) -> int:
        """What the wallet holds."""
        return 0 if self.wallet is None else self.wallet.lamports


async def read_token(reader: SolanaReader, claim: Claim) -> MintReading:
    """Read the mint, its metadata, the wallet and its token accounts in one batch, so as of one moment.
    Anyone can open more token accounts for a wallet than can be read: then its balance is not known, but all else is.

    Raises:
        RpcError: the chain does not answer.
    """
    address = key_bytes(claim.token)
    places = [claim.token, key_text(metaplex_address(address)), claim.wallet, CLOCK]
    held: Any
    try:
        found, held = await reader.settle([multiple_accounts(places), accounts_of(claim.wallet, claim.token)])
    except NodeLimited as error:
        found, held = (await reader.settle([multiple_accounts(places)]))[0], error
    _, (account, metaplex, wallet, clock) = read_accounts(found, len(places))
    mint = None if account is None else read_mint(account.owner, account.data)
    described = None if metaplex is None else read_metaplex(metaplex.owner, metaplex.data)
    metadata = None if mint is None else trusted_metadata(address, mint, described)
    balance = None
    if mint is not None and not isinstance(held, CallFailed | MethodMissing | NodeLimited):
        _, listed = with_slot(held)
        balance = sum_of_accounts(listed, address, key_bytes(claim.wallet), mint.program)
    symbol, absence = _symbol(account is not None, mint, metadata)
    return MintReading(
        head_time=datetime.fromtimestamp(read_clock(clock), UTC),
        exists=account is not None,
        symbol=symbol,
        absence=absence,
        mint_authority=_text(None if mint is None else mint.mint_authority),
        update_authority=_text(None if metadata is None else metadata.update_authority),
        supply_raw=0 if mint is None else None if mint.hides_supply else mint.supply_raw,
        balance_raw=balance,
        wallet=wallet,
    )


async def read_symbol(reader: SolanaReader, mint_address: str) -> str | None:
    """The present symbol of a mint; None where there is no token with one.

    Raises:
        RpcError: the chain does not answer.
    """
    address = key_bytes(mint_address)
    places = [mint_address, key_text(metaplex_address(address))]
    _, (account, metaplex) = read_accounts((await reader.settle([multiple_accounts(places)]))[0], len(places))
    mint = None if account is None else read_mint(account.owner, account.data)
    described = None if metaplex is None else read_metaplex(metaplex.owner, metaplex.data)
    metadata = None if mint is None else trusted_metadata(address, mint, described)
    return _symbol(account is not None, mint, metadata)[0]


def _symbol(exists: bool, mint: Mint | None, metadata: Metadata | None) -> tuple[str | None, str]:
    """The symbol, cleaned as the index has it, and why there is none."""
    if mint is None:
        return None, _NO_MINT if exists else _NO_ACCOUNT
    if is_single_item(mint, metadata):
        return None, _SINGLE_ITEM
    if metadata is None:
        return None, _NO_METADATA
    return clean_text(metadata.symbol.encode(), SYMBOL_CHARACTERS) or None, _NO_SYMBOL


def _text(key: bytes | None) -> str | None:
    return key_text(key) if key else None
