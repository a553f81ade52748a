"""The local chain's exchange keeps its pools at a constant product, and only its creator takes liquidity out."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from solders.instruction import Instruction
from solders.keypair import Keypair
from solders.litesvm import LiteSVM
from solders.pubkey import Pubkey
from solders.transaction_metadata import FailedTransactionMetadata
from spl.token.constants import TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID
from spl.token.instructions import create_idempotent_associated_token_account, mint_to_checked
from spl.token.models import MintToCheckedParams

from indexer.devchain.solana import build, market, mints
from indexer.devchain.solana.market import FEE_PPM, Market, Side
from indexer.devchain.solana.sender import sign

SUPPLY = 10**15
DECIMALS = 6


class Exchange:
    """A pool of an SPL token and a Token-2022 one, its creator and a trader with both."""

    def __init__(self, base: int = 4 * 10**9, quote: int = 10**9, fee_basis_points: int = 0) -> None:
        self.svm = LiteSVM()
        self.program = Pubkey.new_unique()
        self.svm.add_program(self.program, market.code())
        self.creator, self.trader = Keypair(), Keypair()
        for wallet in (self.creator, self.trader):
            self.svm.airdrop(wallet.pubkey(), 10**12)
        self.base = self.new_side(TOKEN_PROGRAM_ID)
        self.quote = self.new_side(TOKEN_2022_PROGRAM_ID, fee_basis_points)
        self.pool = Market(self.program, self.creator.pubkey(), self.base, self.quote)
        self.send([*self.pool.create(), self.pool.deposit(base, quote)], self.creator)

    def new_side(self, program: Pubkey, fee_basis_points: int = 0) -> Side:
        mint, owner = Keypair(), self.creator.pubkey()
        made = (
            mints.spl_token(mint, owner, DECIMALS, None)
            if program == TOKEN_PROGRAM_ID
            else mints.token_2022(mint, owner, DECIMALS, None, name="Q", symbol="Q", fee_basis_points=fee_basis_points)
        )
        self.send(made, self.creator, mint)
        side = Side(mint.pubkey(), program)
        for wallet in (self.creator, self.trader):
            params = MintToCheckedParams(
                program_id=program,
                mint=side.mint,
                dest=side.account_of(wallet.pubkey()),
                mint_authority=owner,
                amount=SUPPLY,
                decimals=DECIMALS,
            )
            opening = create_idempotent_associated_token_account(owner, wallet.pubkey(), side.mint, program)
            self.send([opening, mint_to_checked(params)], self.creator)
        return side

    def send(self, instructions: list[Instruction], *keys: Keypair) -> bool:
        """Whether the transaction succeeded."""
        self.svm.expire_blockhash()
        result = self.svm.send_transaction(sign(instructions, keys, self.svm.latest_blockhash()))
        return not isinstance(result, FailedTransactionMetadata)

    def amount(self, side: Side, owner: Pubkey) -> int:
        account = self.svm.get_account(side.account_of(owner))
        return int.from_bytes(account.data[64:72], "little") if account else 0

    @property
    def reserves(self) -> tuple[int, int]:
        return self.amount(self.base, self.pool.address), self.amount(self.quote, self.pool.address)


@pytest.mark.parametrize("name", build.PROGRAMS)
def test_the_source_gives_the_committed_program(name: str) -> None:
    assert build.build(name) == (build.FOLDER / f"{name}.so").read_bytes()


@settings(max_examples=25)
@given(
    base=st.integers(1, SUPPLY // 2),
    quote=st.integers(1, SUPPLY // 2),
    trades=st.lists(st.tuples(st.booleans(), st.integers(1, SUPPLY // 10)), min_size=1, max_size=4),
)
def test_a_swap_gives_what_the_product_says(base: int, quote: int, trades: list[tuple[bool, int]]) -> None:
    exchange = Exchange(base, quote)
    trader = exchange.trader.pubkey()
    for buying, amount in trades:
        before = exchange.reserves
        paid, other = (1, 0) if buying else (0, 1)
        counted = amount - amount * FEE_PPM // 10**6
        expected = before[other] * counted // (before[paid] + counted)
        call = exchange.pool.buy(trader, amount) if buying else exchange.pool.sell(trader, amount)
        assert exchange.send([call], exchange.trader) == (expected > 0)
        after = exchange.reserves
        moved = amount if expected else 0
        assert (after[paid], after[other]) == (before[paid] + moved, before[other] - expected)
        assert after[0] * after[1] >= before[0] * before[1]


def test_a_token_that_takes_a_fee_counts_by_what_arrives() -> None:
    exchange = Exchange(fee_basis_points=100)
    base, quote = exchange.reserves
    assert quote == 10**9 * 99 // 100
    assert exchange.send([exchange.pool.buy(exchange.trader.pubkey(), 10**6)], exchange.trader)
    received = 10**6 * 99 // 100
    counted = received - received * FEE_PPM // 10**6
    assert exchange.reserves == (base - base * counted // (quote + counted), quote + received)


def test_a_swap_below_its_limit_changes_nothing() -> None:
    exchange = Exchange()
    before = exchange.reserves
    assert not exchange.send([exchange.pool.buy(exchange.trader.pubkey(), 10**6, least=10**9)], exchange.trader)
    assert exchange.reserves == before


def test_only_the_creator_moves_liquidity() -> None:
    exchange = Exchange()
    taking = exchange.pool.withdraw(10**6, 10**6)
    as_trader = Instruction(
        exchange.program,
        taking.data,
        exchange.pool.buy(exchange.trader.pubkey(), 1).accounts,
    )
    assert not exchange.send([as_trader], exchange.trader)
    assert exchange.send([taking], exchange.creator)
    assert exchange.reserves == (4 * 10**9 - 10**6, 10**9 - 10**6)


def test_a_pool_pays_from_its_own_vaults_only() -> None:
    exchange = Exchange()
    other = Market(exchange.program, exchange.creator.pubkey(), exchange.quote, exchange.base)
    assert exchange.send([*other.create(), other.deposit(10**9, 10**9)], exchange.creator)
    call = exchange.pool.buy(exchange.trader.pubkey(), 10**6)
    theirs = other.buy(exchange.trader.pubkey(), 10**6)
    mixed = [*call.accounts[:2], *theirs.accounts[2:4], *call.accounts[4:]]
    assert not exchange.send([Instruction(exchange.program, call.data, mixed)], exchange.trader)


def test_one_token_makes_no_pool() -> None:
    exchange = Exchange()
    alone = replace(exchange.pool, quote=exchange.base)
    assert not exchange.send([alone.create()[0], alone.create()[2]], exchange.creator)
