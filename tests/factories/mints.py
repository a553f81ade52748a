"""Mints of Solana in a chain of fixture rows, as the indexer writes them."""

import hashlib
from dataclasses import dataclass
from functools import cache
from typing import Any

from solders.keypair import Keypair
from solders.pubkey import Pubkey

from tests.factories.ledger import ZERO, Ledger
from warehouse.domain.addresses import stored_from_digits

SOLANA = 900_900


@cache
def wallet(label: str) -> str:
    """The address of a wallet, in hexadecimal."""
    return bytes(Keypair.from_seed(hashlib.sha256(label.encode()).digest()).pubkey()).hex()


@cache
def derived(label: str) -> str:
    """An address that a program derived: nobody has its key."""
    return bytes(Pubkey.find_program_address([label.encode()], Pubkey(bytes([7] * 32)))[0]).hex()


RELAYER, PAD, PAD_PROGRAM = wallet("relayer"), wallet("launchpad"), wallet("launchpad's program")
USDC, WRAPPED_SOL = wallet("usdc"), wallet("wrapped sol")
CHAINS_TOML = f"""
[chains.solana]
rpc_urls = ["http://127.0.0.1:1"]
start_block = 0
relayers = ["{stored_from_digits(RELAYER)}"]
launchpads = ["{stored_from_digits(PAD)}", "{stored_from_digits(PAD_PROGRAM)}"]
[chains.solana.contracts]
registry = "{stored_from_digits(wallet("registry"))}"
[chains.solana.assets]
wrapped_native = "{stored_from_digits(WRAPPED_SOL)}"
stablecoins = [{{ address = "{stored_from_digits(USDC)}", symbol = "USDC", decimals = 6 }}]
"""


@dataclass
class MintLedger(Ledger):
    """A chain of mints. Accounts are 32 bytes in hexadecimal."""

    chain_id: int = SOLANA
    finality_blocks: int = 32

    def mint(
        self, label: str, symbol: str, *, creator: str = "", factory: str = "", supply: int = 0, **values: Any
    ) -> str:
        """A mint that is created in this block; its creator gets the supply. Authorities are given as
        ``mint_authority``, ``freeze_authority`` and ``update_authority``; their creator signs for them."""
        mint = wallet(f"mint {label}")
        authorities = {kind: values.pop(kind) for kind in list(values) if kind.endswith("_authority")}
        self.add(
            "fact_contract_creation", address=mint, creation_index=len(self.rows["fact_contract_creation"]),
            creator=creator, factory=factory, transaction_to="",
        )  # fmt: skip
        self.describe(mint, symbol, **values)
        for kind, account in authorities.items():
            self.hand_over(mint, kind, account, signed=account == creator)
        if supply:
            self.transfer(mint, ZERO, creator, supply)
        return mint

    def describe(self, mint: str, symbol: str, **values: Any) -> None:
        """What the mint and its metadata say from this block on."""
        standard = {"program": "spl_token", "decimals": 6, "total_supply_raw": None}
        self.read(mint, symbol, **{**standard, **values})

    def hand_over(self, mint: str, kind: str, account: str, *, signed: bool = False) -> None:
        """An authority passes to an account, which may have signed for it; to nobody if it is empty."""
        self.add("fact_control", address=mint, kind=kind, previous_account="", account=account, signed=int(signed))
