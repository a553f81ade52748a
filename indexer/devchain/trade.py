"""What wallets do with tokens: transfers of all kinds, and swaps that move prices."""

import random
from collections import defaultdict
from dataclasses import dataclass

from eth_utils.crypto import keccak

from indexer.devchain import artifacts
from indexer.devchain.dexes import NATIVE, Dexes, Pool
from indexer.devchain.sender import Sender

_STRANGERS = 2000


@dataclass(frozen=True, slots=True)
class _Market:
    dexes: Dexes
    pool: Pool
    traders: list[str]
    weight: int
    spread: int
    drift: int


@dataclass(frozen=True, slots=True)
class _Circulating:
    token: str
    weight: int
    elastic_owner: str | None


class Economy:
    """Chooses random actions by weight and queues their transactions.

    It keeps a low estimate of what wallets hold, so that nearly every transaction succeeds.
    """

    def __init__(self, sender: Sender, source: random.Random) -> None:
        self.sender = sender
        self.random = source
        self._tokens: list[_Circulating] = []
        self._markets: list[_Market] = []
        self._holdings: dict[str, dict[str, int]] = defaultdict(dict)

    def add_token(self, token: str, weight: int, *, elastic_owner: str | None = None) -> None:
        """Let a token circulate; an elastic one is rebased by its owner now and then."""
        self._tokens.append(_Circulating(token, weight, elastic_owner))

    def add_market(self, dexes: Dexes, pool: Pool, traders: list[str], weight: int, spread: int, drift: int) -> None:
        """Let a pool be traded: swaps up to ``spread`` hundredths of a per cent of what it was opened with."""
        self._markets.append(_Market(dexes, pool, traders, weight, spread, drift))

    def grant(self, token: str, holder: str, wallet: str, amount_raw: int) -> None:
        """Queue a transfer outside the estimates of its sender."""
        self._transfer(token, holder, wallet, amount_raw, purpose="grant")
        self._receive(token, wallet, amount_raw * 9 // 10)

    def act(self, count: int) -> None:
        """Queue ``count`` actions: about half of them swaps."""
        if count <= 0:
            return
        kinds = self.random.choices(("swap", "transfer"), weights=(55, 45), k=count)
        swaps = kinds.count("swap")
        if self._markets:
            for market in self.random.choices(self._markets, [item.weight for item in self._markets], k=swaps):
                self._swap(market)
        if self._tokens:
            for token in self.random.choices(self._tokens, [item.weight for item in self._tokens], k=count - swaps):
                self._move(token)

    def _swap(self, market: _Market) -> None:
        pool = market.pool
        trader = self.random.choice(market.traders)
        size = self.random.randint(max(1, market.spread // 20), market.spread)
        base_amount = pool.base_amount * size // 10_000
        selling = self.random.randrange(100) >= 50 + market.drift
        held = self._holdings[pool.base].get(trader, 0)
        base_is_coin = pool.base == market.dexes.weth
        if selling and (base_is_coin or held >= base_amount) and base_amount:
            if not base_is_coin:
                self._holdings[pool.base][trader] = held - base_amount
            market.dexes.swap(self.sender, trader, pool, pool.base, base_amount)
            return
        quote_amount = max(1, pool.quote_amount * size // 10_000)
        market.dexes.swap(self.sender, trader, pool, pool.quote, quote_amount)
        if not base_is_coin and pool.quote != NATIVE:
            self._receive(pool.base, trader, base_amount // 2)

    def _move(self, item: _Circulating) -> None:
        holdings = self._holdings[item.token]
        if item.elastic_owner and self.random.random() < 0.2:
            self._rebase(item.token, item.elastic_owner)
            return
        able = [wallet for wallet, amount in holdings.items() if amount > 0]
        if not able:
            return
        sender = self.random.choice(able)
        amount = max(1, holdings[sender] * self.random.randint(1, 400) // 10_000)
        holdings[sender] -= amount
        if self.random.random() < 0.5:
            recipient = self.random.choice(able)
            self._receive(item.token, recipient, amount * 9 // 10)
        else:
            # A wallet without a known key; low numbers occur more often.
            number = int(_STRANGERS * self.random.random() ** 3)
            recipient = "0x" + keccak(text=f"regalia stranger {number}")[:20].hex()
        self._transfer(item.token, sender, recipient, amount, purpose="transfer")

    def _rebase(self, token: str, owner: str) -> None:
        holders = self.random.sample(sorted(self._holdings[token]), min(4, len(self._holdings[token])))
        change = self.random.randint(100, 20_000)  # upwards, so that estimates stay below balances
        data = artifacts.load("ElasticToken").call("rebase", holders, change)
        self.sender.send(owner, token, data, purpose="rebase")

    def _transfer(self, token: str, sender: str, recipient: str, amount_raw: int, *, purpose: str) -> None:
        data = artifacts.load("PlainToken").call("transfer", recipient, amount_raw)
        self.sender.send(sender, token, data, gas=150_000, purpose=purpose)

    def _receive(self, token: str, wallet: str, amount_raw: int) -> None:
        self._holdings[token][wallet] = self._holdings[token].get(wallet, 0) + amount_raw
