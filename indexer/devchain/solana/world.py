"""A small economy on a local Solana node: mints of several kinds, pools, and days of trade."""

import random
import time
from dataclasses import dataclass, field

from solders.instruction import Instruction
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from solders.system_program import TransferParams, transfer
from spl.token.constants import TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID, WRAPPED_SOL_MINT
from spl.token.instructions import (
    create_idempotent_associated_token_account,
    mint_to_checked,
    set_authority,
    sync_native,
)
from spl.token.models import AuthorityType, MintToCheckedParams, SetAuthorityParams, SyncNativeParams

from indexer.devchain.solana import market, mints
from indexer.devchain.solana.economy import Circulating, Economy, keypair
from indexer.devchain.solana.market import Market, Side
from indexer.devchain.solana.plans import MICRO, SOL_PRICE_USD, MintPlan, plans_of
from indexer.devchain.solana.sender import Sender
from indexer.devchain.solana.surfpool import LAMPORTS_PER_SOL, Surfpool

WALLETS = 6
USDC_DECIMALS = 6
_SOL = Side(WRAPPED_SOL_MINT, TOKEN_PROGRAM_ID)
_FUNDED_LAMPORTS = 100_000 * LAMPORTS_PER_SOL
_WRAPPED_LAMPORTS = 20_000 * LAMPORTS_PER_SOL
_USDC_EACH = 2_000_000 * 10**USDC_DECIMALS


@dataclass(frozen=True, slots=True)
class Scale:
    """How much history to write: its blocks, what happens in them, and the time they are said to have taken."""

    blocks: int
    actions: int
    hours: int


SCALES = {"demo": Scale(120, 140, 9 * 24), "small": Scale(40, 60, 26)}


@dataclass(frozen=True, slots=True)
class Minted:
    """A token of this world. ``creator`` paid for it; ``authority`` may mint, if anybody."""

    plan: MintPlan
    side: Side
    creator: Keypair
    authority: Keypair | None
    market: Market | None = None

    @property
    def mint(self) -> Pubkey:
        """Its address."""
        return self.side.mint


@dataclass(slots=True)
class World:
    """The chain's contents. Made by ``create`` on a paused node, which stays paused."""

    node: Surfpool
    scale: Scale
    sender: Sender
    economy: Economy
    bank: Keypair = field(default_factory=lambda: keypair("bank"))
    wallets: tuple[Keypair, ...] = field(
        default_factory=lambda: tuple(keypair(f"trader {number}") for number in range(WALLETS))
    )
    program: Pubkey = field(default_factory=lambda: keypair("market program").pubkey())
    usdc: Side = field(default_factory=lambda: Side(keypair("usdc").pubkey(), TOKEN_PROGRAM_ID))
    tokens: list[Minted] = field(default_factory=list)

    @classmethod
    def create(cls, node: Surfpool, seed: int = 1, scale: str = "small") -> "World":
        """Write a history that ends now. The same seed gives the same transactions.

        Raises:
            SurfpoolError: a transaction failed that should not.
        """
        sender = Sender(node)
        world = cls(node, SCALES[scale], sender, Economy(sender, random.Random(seed)))  # noqa: S311 (repeatable on purpose)
        node.deploy(world.program, market.code())
        node.deploy(mints.METADATA_PROGRAM, mints.metadata_code())
        world._found()
        world._write_history(list(plans_of(scale)))
        now = int(time.time())
        node.spread_times(now - world.scale.hours * 3600, now)
        return world

    def step(self, actions: int = 6) -> None:
        """Let the economy do ``actions`` more transfers and swaps."""
        self.economy.act(actions)
        self.sender.flush()

    def token(self, key: str) -> Minted:
        """The token of the plan with this key, such as ``coral``."""
        return next(token for token in self.tokens if token.plan.key == key)

    def chain_toml(self, key: str = "solana") -> str:
        """A chains file with this node, the coins that prices rest on, and the exchange."""
        first = self.node.rpc("getBlocksWithLimit", 0, 1, {"commitment": "confirmed"})[0]
        return (
            f'[chains.{key}]\nrpc_urls = ["{self.node.url}"]\ncaip2 = "{self.node.caip2}"\nstart_block = {first}\n'
            f'[chains.{key}.assets]\nwrapped_native = "{WRAPPED_SOL_MINT}"\n'
            f'stablecoins = [{{ address = "{self.usdc.mint}", symbol = "USDC", decimals = {USDC_DECIMALS} }}]\n'
            + market.exchange_facts(key, self.program)
        )

    def _found(self) -> None:
        """Money, wrapped coins, USDC, and the pool that prices the native coin."""
        for wallet in (self.bank, *self.wallets):
            self.node.fund(wallet.pubkey(), _FUNDED_LAMPORTS)
        usdc = keypair("usdc")
        made = mints.spl_token(usdc, self.bank.pubkey(), USDC_DECIMALS, self.bank.pubkey())
        named = mints.describe(self.usdc.mint, self.bank.pubkey(), "USD Coin", "USDC")
        self.sender.send([*made, named], usdc, payer=self.bank, purpose="create USDC")
        for wallet in (self.bank, *self.wallets):
            self._provide(wallet, lamports=_WRAPPED_LAMPORTS, usdc=_USDC_EACH)
        pool = Market(self.program, self.bank.pubkey(), _SOL, self.usdc)
        amounts = (8_000 * LAMPORTS_PER_SOL, 8_000 * SOL_PRICE_USD * 10**USDC_DECIMALS)
        self._open(pool, self.bank, amounts, None, weight=12, drift=0)
        self._mine()

    def _provide(self, wallet: Keypair, *, lamports: int = 0, usdc: int = 0) -> None:
        """Wrap coins of a wallet, or mint it USDC, or both."""
        owner = wallet.pubkey()
        wrapped = _SOL.account_of(owner)
        instructions = []
        if lamports:
            instructions += [
                create_idempotent_associated_token_account(owner, owner, _SOL.mint),
                transfer(TransferParams(from_pubkey=owner, to_pubkey=wrapped, lamports=lamports)),
                sync_native(SyncNativeParams(program_id=TOKEN_PROGRAM_ID, account=wrapped)),
            ]
            self.economy.receive(_SOL, wallet, lamports)
        if usdc:
            instructions += self._mint(self.usdc, self.bank.pubkey(), owner, usdc, USDC_DECIMALS)
            self.economy.receive(self.usdc, wallet, usdc)
        self.sender.send(instructions, *([self.bank] if usdc else []), payer=wallet, purpose="provide")

    def _write_history(self, plans: list[MintPlan]) -> None:
        done = 0
        for block in range(self.scale.blocks):
            while plans and plans[0].starts_at * self.scale.blocks <= block:
                self._create(plans.pop(0))
            wanted = self.scale.actions * (block + 1) // self.scale.blocks
            self.economy.act(wanted - done)
            done = wanted
            self._mine()

    def _mine(self) -> None:
        self.sender.flush()
        self.node.mine()
        self.sender.check(tolerate=("swap",))

    def _create(self, plan: MintPlan) -> None:
        creator, mint = keypair(f"creator of {plan.key}"), keypair(f"mint of {plan.key}")
        self.node.fund(creator.pubkey(), _FUNDED_LAMPORTS)
        program = TOKEN_PROGRAM_ID if plan.kind == "spl" else TOKEN_2022_PROGRAM_ID
        side = Side(mint.pubkey(), program)
        self.sender.send(
            self._creation(plan, mint, creator.pubkey()), mint, payer=creator, purpose=f"create {plan.key}"
        )
        supply = plan.supply * 10**plan.decimals
        minting = self._mint(side, creator.pubkey(), creator.pubkey(), supply, plan.decimals)
        self.sender.send(minting, payer=creator, purpose=f"mint {plan.key}")
        authority = {"kept": creator, "revoked": None, "moved": keypair(f"authority of {plan.key}")}[plan.authority]
        if authority is not creator:
            self._hand_over(side, creator, authority)
        pool = self._open_pool(plan, side, creator, supply) if plan.depth_usd else None
        self._distribute(plan, side, creator, supply)
        self.tokens.append(Minted(plan, side, creator, authority, pool))

    def _creation(self, plan: MintPlan, mint: Keypair, creator: Pubkey) -> list[Instruction]:
        freezer = creator if plan.freezable else None
        if plan.kind == "spl":
            made = mints.spl_token(mint, creator, plan.decimals, freezer)
            return [*made, mints.describe(mint.pubkey(), creator, plan.name, plan.symbol)] if plan.symbol else made
        return mints.token_2022(
            mint,
            creator,
            plan.decimals,
            freezer,
            name=plan.name,
            symbol=plan.symbol,
            fee_basis_points=100 if plan.kind == "transfer_fee" else 0,
            permanent_delegate=creator if plan.kind == "permanent_delegate" else None,
        )

    def _mint(self, side: Side, authority: Pubkey, owner: Pubkey, amount: int, decimals: int) -> list[Instruction]:
        params = MintToCheckedParams(
            program_id=side.program,
            mint=side.mint,
            dest=side.account_of(owner),
            mint_authority=authority,
            amount=amount,
            decimals=decimals,
        )
        account = create_idempotent_associated_token_account(owner, owner, side.mint, side.program)
        return [account, mint_to_checked(params)]

    def _hand_over(self, side: Side, creator: Keypair, authority: Keypair | None) -> None:
        params = SetAuthorityParams(
            program_id=side.program,
            account=side.mint,
            authority=AuthorityType.MINT_TOKENS,
            current_authority=creator.pubkey(),
            new_authority=authority.pubkey() if authority else None,
        )
        self.sender.send([set_authority(params)], payer=creator, purpose="hand over")

    def _open_pool(self, plan: MintPlan, side: Side, creator: Keypair, supply: int) -> Market:
        half_micro_usd = plan.depth_usd // 2 * MICRO
        base = min(half_micro_usd * 10**plan.decimals // plan.price_micro_usd, supply // 2)
        dollars_micro = base * plan.price_micro_usd // 10**plan.decimals
        if plan.quote == "USDC":
            quote_side, quote = self.usdc, dollars_micro * 10**USDC_DECIMALS // MICRO
            self._provide(creator, usdc=quote)
        else:
            quote_side, quote = _SOL, dollars_micro * LAMPORTS_PER_SOL // (SOL_PRICE_USD * MICRO)
            self._provide(creator, lamports=quote)
        pool = Market(self.program, creator.pubkey(), side, quote_side)
        self._open(pool, creator, (base, quote), plan.decimals, weight=plan.weight, drift=plan.drift)
        return pool

    def _open(
        self,
        pool: Market,
        creator: Keypair,
        amounts: tuple[int, int],
        granted_decimals: int | None,
        *,
        weight: int,
        drift: int,
    ) -> None:
        """Open a pool, and let two wallets trade it. They get some of a base token that they do not have yet."""
        self.sender.send([*pool.create(), pool.deposit(*amounts)], payer=creator, purpose="open pool")
        traders = tuple(self.economy.random.sample(self.wallets, 2))
        self.economy.add_market(pool, amounts, traders, weight, drift)
        if granted_decimals is not None:
            token = Circulating(pool.base, granted_decimals, 0)
            for trader in traders:
                self.economy.grant(token, creator, trader, amounts[0] // 4)

    def _distribute(self, plan: MintPlan, side: Side, creator: Keypair, supply: int) -> None:
        token = Circulating(side, plan.decimals, plan.weight)
        if plan.majority_holder:
            holder = keypair(f"majority holder of {plan.key}")
            self.node.fund(holder.pubkey())
            self.economy.grant(token, creator, holder, supply * 6 // 10)
        for wallet in self.economy.random.sample(self.wallets, 2):
            self.economy.grant(token, creator, wallet, supply // 100)
        self.economy.add_token(token)
