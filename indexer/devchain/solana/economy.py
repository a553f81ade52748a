"""What wallets of the local Solana chain do with tokens: transfers, and swaps that move prices."""

import random
from collections import defaultdict
from dataclasses import dataclass
from hashlib import sha256

from solders.instruction import Instruction
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from spl.token.instructions import create_idempotent_associated_token_account, transfer_checked
from spl.token.models import TransferCheckedParams

from indexer.devchain.solana.market import Market, Side
from indexer.devchain.solana.sender import Sender

_STRANGERS = 40  # a new one costs the node as much as two transfers


@dataclass(frozen=True, slots=True)
class Circulating:
    """A token that moves between wallets."""

    side: Side
    decimals: int
    weight: int


@dataclass(frozen=True, slots=True)
class _Traded:
    market: Market
    base_amount: int
    quote_amount: int
    traders: tuple[Keypair, ...]
    weight: int
    drift: int


class Economy:
    """Chooses random actions by weight and queues their transactions.

    It keeps a low estimate of what wallets hold, so that nearly every transaction succeeds.
    """

    def __init__(self, sender: Sender, source: random.Random) -> None:
        self.sender = sender
        self.random = source
        self._tokens: list[Circulating] = []
        self._traded: list[_Traded] = []
        self._holdings: dict[Pubkey, dict[Keypair, int]] = defaultdict(dict)
        self._opened: set[Pubkey] = set()

    def add_token(self, token: Circulating) -> None:
        """Let a token circulate."""
        self._tokens.append(token)

    def add_market(
        self, market: Market, amounts: tuple[int, int], traders: tuple[Keypair, ...], weight: int, drift: int
    ) -> None:
        """Let these wallets trade a pool, by up to a hundredth of the ``amounts`` it was opened with."""
        self._traded.append(_Traded(market, *amounts, traders, weight, drift))

    def grant(self, token: Circulating, holder: Keypair, wallet: Keypair, amount: int) -> None:
        """Queue a transfer outside the estimates of its sender."""
        self.sender.send(self._pay(token, holder, wallet.pubkey(), amount), payer=holder, purpose="grant")
        self.receive(token.side, wallet, amount * 9 // 10)

    def receive(self, side: Side, wallet: Keypair, amount: int) -> None:
        """Count what a wallet got otherwise, in an account that is open."""
        self._opened.add(side.account_of(wallet.pubkey()))
        self._holdings[side.mint][wallet] = self._holdings[side.mint].get(wallet, 0) + amount

    def act(self, count: int) -> None:
        """Queue ``count`` actions: about half of them swaps."""
        for _ in range(count):
            if self._traded and self.random.random() < 0.55:
                (traded,) = self.random.choices(self._traded, [one.weight for one in self._traded])
                self._swap(traded)
            elif self._tokens:
                (token,) = self.random.choices(self._tokens, [one.weight for one in self._tokens])
                self._move(token)

    def _swap(self, traded: _Traded) -> None:
        trader = self.random.choice(traded.traders)
        market, size = traded.market, self.random.randint(50_000, 1_000_000)
        base, quote = traded.base_amount * size // 10**8, traded.quote_amount * size // 10**8
        selling = self.random.randrange(100) >= 50 + traded.drift
        paid, amount = (market.base, base) if selling else (market.quote, quote)
        held = self._holdings[paid.mint].get(trader, 0)
        if amount == 0 or held < amount:
            return
        self._holdings[paid.mint][trader] = held - amount
        call = market.sell(trader.pubkey(), amount) if selling else market.buy(trader.pubkey(), amount)
        self.receive(market.quote if selling else market.base, trader, (quote if selling else base) // 2)
        self.sender.send([call], payer=trader, purpose="swap")

    def _move(self, token: Circulating) -> None:
        holdings = self._holdings[token.side.mint]
        able = [wallet for wallet, amount in holdings.items() if amount > 0]
        if not able:
            return
        sender = self.random.choice(able)
        amount = max(1, holdings[sender] * self.random.randint(10_000, 4_000_000) // 10**8)
        holdings[sender] -= amount
        if self.random.random() < 0.5:
            wallet = self.random.choice(able)
            self.receive(token.side, wallet, amount * 9 // 10)
            recipient = wallet.pubkey()
        else:
            # A wallet that never acts; low numbers occur more often.
            recipient = keypair(f"stranger {int(_STRANGERS * self.random.random() ** 3)}").pubkey()
        self.sender.send(self._pay(token, sender, recipient, amount), payer=sender, purpose="transfer")

    def _pay(self, token: Circulating, holder: Keypair, recipient: Pubkey, amount: int) -> list[Instruction]:
        side = token.side
        payment = TransferCheckedParams(
            program_id=side.program,
            source=side.account_of(holder.pubkey()),
            mint=side.mint,
            dest=side.account_of(recipient),
            owner=holder.pubkey(),
            amount=amount,
            decimals=token.decimals,
        )
        if payment.dest in self._opened:
            return [transfer_checked(payment)]
        self._opened.add(payment.dest)
        opening = create_idempotent_associated_token_account(holder.pubkey(), recipient, side.mint, side.program)
        return [opening, transfer_checked(payment)]


def keypair(label: str) -> Keypair:
    """The key of this label; the same everywhere."""
    return Keypair.from_seed(sha256(f"regalia dev wallet {label}".encode()).digest())
