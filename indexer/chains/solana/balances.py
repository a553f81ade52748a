"""What wallets hold of tokens, for audits.

Nodes tell the present state only. A wallet's answer counts for an earlier block if nothing touched the wallet or its
token accounts since.
"""

from collections.abc import Sequence
from typing import Any

from solders.pubkey import Pubkey
from spl.token.instructions import get_associated_token_address

from indexer.chains.errors import NodeLied, RpcError
from indexer.chains.jsonrpc import Call
from indexer.chains.solana.accounts import CONFIRMED, TOKEN_PROGRAMS, read_account, with_slot
from indexer.chains.solana.base58 import key_text
from indexer.chains.solana.rpc import SolanaClient
from indexer.chains.source import Holding


def read_balances(client: SolanaClient, holdings: Sequence[Holding], block: int) -> list[int | None]:
    """Sums over the token accounts of each wallet, in base units. None where the node does not answer, where something
    moved after ``block``, and for what is held by the mint itself: that stands for withheld and hidden amounts."""
    answers = client.settle([_accounts_of(one) for one in holdings])
    found = [_amounts(answer) for answer in answers]
    watched = [_addresses(one, amounts) for one, amounts in zip(holdings, found, strict=True)]
    asked = sorted({address for addresses in watched for address in addresses})
    newest = dict(zip(asked, client.settle([_last_use(address) for address in asked]), strict=True))
    balances: list[int | None] = []
    for one, amounts, addresses in zip(holdings, found, watched, strict=True):
        settled = all(_unused_since(newest[address], block) for address in addresses)
        counts = amounts is not None and settled and one.token != one.wallet
        balances.append(sum((amounts or {}).values()) if counts else None)
    return balances


def _accounts_of(holding: Holding) -> Call:
    wanted = {"encoding": "base64", "commitment": CONFIRMED}
    return "getTokenAccountsByOwner", (key_text(holding.wallet), {"mint": key_text(holding.token)}, wanted)


def _last_use(address: str) -> Call:
    return "getSignaturesForAddress", (address, {"limit": 1, "commitment": CONFIRMED})


def _amounts(answer: Any) -> dict[str, int] | None:
    """What each token account holds."""
    try:
        _, accounts = with_slot(answer)
        return {one["pubkey"]: int.from_bytes(read_account(one["account"]).data[64:72], "little") for one in accounts}
    except RpcError as error:
        if isinstance(error, NodeLied):
            raise
        return None
    except (TypeError, KeyError) as error:
        raise NodeLied(f"not token accounts: {str(answer)[:80]}") from error


def _addresses(holding: Holding, amounts: dict[str, int] | None) -> set[str]:
    """The wallet, its token accounts, and where they usually are: one that was closed is not listed any more."""
    wallet, mint = Pubkey(holding.wallet), Pubkey(holding.token)
    usual = {str(get_associated_token_address(wallet, mint, Pubkey.from_string(one))) for one in TOKEN_PROGRAMS}
    return {str(wallet), *usual, *(amounts or ())}


def _unused_since(answer: Any, block: int) -> bool:
    if not isinstance(answer, list):
        return False
    return all(isinstance(one, dict) and isinstance(one.get("slot"), int) and one["slot"] <= block for one in answer)
