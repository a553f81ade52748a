"""What a run does: original tokens with markets, attacks on their symbols, and honest tokens without markets.

Everything follows from the seed. Hours count from the chain's first block; the last hour is now. All attacks but the
last kind lie within the bounds of docs/decisions/0033-copies-by-weight.md: none holds half of its original's weight for
seven days.
"""

import random
from dataclasses import dataclass, field
from enum import StrEnum

from warehouse.domain.symbols import fold

HOURS = 12 * 24
"""How long the chain's history is."""
ORIGINALS_AT = 6
FIRST_ATTACK_AT, LAST_ATTACK_AT = 12, HOURS - 30
_MOST_PARKED_HOURS = 110
"""Of 144 that would count."""
_LETTERS = "ABCEHIKMOPST"
_DIGITS = {"O": "0", "I": "1", "S": "5"}
_CYRILLIC = {"A": "А", "B": "В", "C": "С", "E": "Е", "H": "Н", "K": "К", "M": "М", "O": "О", "P": "Р", "T": "Т"}
_GREEK = {"A": "Α", "B": "Β", "E": "Ε", "H": "Η", "I": "Ι", "K": "Κ", "M": "Μ", "O": "Ο", "P": "Ρ", "T": "Τ"}


class Kind(StrEnum):
    """Ways of passing a clone off as the original."""

    AIRDROP = "airdrop to fresh wallets"
    FLASH = "flash liquidity"
    PARKED = "liquidity parked for days"
    LIGHTER = "less than half of the weight, for good"
    WASH = "wash trading"
    WORTHLESS = "pools of worthless quotes"
    LOOKALIKE = "look-alike symbol"
    DUST = "deployed early, with dust"
    LAG = "claim while the index lags"
    CHALLENGE = "challenge of the original"
    BOUGHT = "over half of the weight for nine days"
    """Beyond the bound: such a clone is no copy, and shows that the run would notice one that is registered."""


@dataclass(frozen=True, slots=True)
class Original:
    """A live project: its pool has ``depth_usd`` on either side from the start to the end."""

    symbol: str
    depth_usd: int
    protocol: str


@dataclass(frozen=True, slots=True)
class Attack:
    """One clone, what its deployer does for it, and when.

    ``deposits`` are (hour, dollars on either side, half hours that they stay).
    """

    number: int
    kind: Kind
    original: int
    symbol: str
    created_at: int
    wallets: int = 0
    swaps: int = 0
    deposits: tuple[tuple[int, int, int], ...] = ()
    quote: str = "dollar"
    claims_late: bool = False
    """Whether it claims after the originals are registered."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole run."""

    seed: int
    originals: tuple[Original, ...]
    attacks: tuple[Attack, ...]
    namesakes: tuple[str, ...]
    """Symbols that two honest tokens without markets have each."""


def make_plan(seed: int, attacks: int) -> Plan:
    """The plan of a seed; every kind of attack occurs about equally often."""
    return _Planner(random.Random(f"{seed} attacks")).plan(seed, attacks)


@dataclass
class _Planner:
    random: random.Random
    folds: set[str] = field(default_factory=set)

    def plan(self, seed: int, count: int) -> Plan:
        originals = tuple(self._original() for _ in range(max(3, count // 9)))
        kinds = list(Kind)
        attacks = [self._attack(number, kinds[number % len(kinds)], originals) for number in range(count)]
        return Plan(seed, originals, tuple(attacks), tuple(self._symbol() for _ in range(max(2, count // 30))))

    def _original(self) -> Original:
        depth = int(15_000 * 10 ** self.random.uniform(0, 1.5))
        return Original(self._symbol(), depth, self.random.choice(("uniswap_v2", "uniswap_v2", "uniswap_v3")))

    def _symbol(self) -> str:
        """A symbol that reads like no other one, with a letter that looks like a digit."""
        while True:
            letters = [self.random.choice(_LETTERS) for _ in range(self.random.randrange(5, 8))]
            letters[self.random.randrange(len(letters))] = self.random.choice("OIS")
            symbol = "".join(letters)
            if fold(symbol) not in self.folds and not fold(symbol).isdigit():
                self.folds.add(fold(symbol))
                return symbol

    def _attack(self, number: int, kind: Kind, originals: tuple[Original, ...]) -> Attack:
        target = self.random.randrange(len(originals))
        original = originals[target]
        weight = original.depth_usd - 1_000
        common = {
            "number": number,
            "kind": kind,
            "original": target,
            "symbol": self._worn(original.symbol) if self.random.random() < 0.25 else original.symbol,
            "created_at": self.random.randrange(FIRST_ATTACK_AT, LAST_ATTACK_AT),
            "wallets": self.random.choice((0, 0, 3, 13)),
            "claims_late": self.random.random() < 0.4,
        }
        start = int(common["created_at"])
        return Attack(**common | self._means(kind, original, weight, start))

    def _means(self, kind: Kind, original: Original, weight: int, start: int) -> dict[str, object]:
        rng = self.random
        small = 1_000 + int(weight * rng.uniform(0.05, 0.45))
        match kind:
            case Kind.AIRDROP:
                return {"wallets": rng.randrange(13, 60), "deposits": ((start + 1, rng.randrange(50, 900), 10_000),)}
            case Kind.FLASH:
                hours = sorted(rng.sample(range(start + 1, HOURS - 2), k=rng.randrange(1, 4)))
                return {"deposits": tuple((hour, original.depth_usd * rng.randrange(3, 40), 1) for hour in hours)}
            case Kind.PARKED:
                hours_held = rng.randrange(6, _MOST_PARKED_HOURS)
                depth = original.depth_usd * rng.randrange(2, 10)
                # Half of them are still there when the claim is made.
                begin = HOURS - hours_held if rng.random() < 0.5 else rng.randrange(start + 1, HOURS - 4)
                return {"created_at": min(start, begin - 1), "deposits": ((begin, depth, 2 * hours_held),)}
            case Kind.LIGHTER:
                return {"created_at": FIRST_ATTACK_AT, "deposits": ((FIRST_ATTACK_AT + 1, small, 10_000),)}
            case Kind.WASH:
                # The dollars of all its purchases stay below half of the weight, were none sold again.
                depth = 1_000 + int(weight * rng.uniform(0.02, 0.2))
                return {"swaps": rng.randrange(10, 40), "deposits": ((start + 1, depth, 10_000),)}
            case Kind.WORTHLESS:
                quote = rng.choice(("fake dollar", "own token", "copied exchange"))
                return {"quote": quote, "deposits": ((start + 1, original.depth_usd * rng.randrange(10, 900), 10_000),)}
            case Kind.LOOKALIKE:
                return {"symbol": self._worn(original.symbol), "wallets": rng.randrange(0, 20)}
            case Kind.DUST:
                dust = ((2, rng.randrange(20, 950), 10_000),) if rng.random() < 0.7 else ()
                return {"created_at": 1, "deposits": dust}
            case Kind.LAG:
                return {"created_at": HOURS, "wallets": 0}
            case Kind.CHALLENGE:
                return {"claims_late": True, "deposits": ((start + 1, small, 10_000),)}
            case Kind.BOUGHT:
                paid = 1_000 + int(weight * rng.uniform(0.55, 0.9))
                start = HOURS - rng.randrange(9 * 24, 10 * 24)
                deposits = ((start + 1, paid, 10_000),)
                return {"symbol": original.symbol, "created_at": start, "claims_late": False, "deposits": deposits}

    def _worn(self, symbol: str) -> str:
        """The symbol with one letter from another script, or a digit that looks like it."""
        tables = [table for table in (_DIGITS, _CYRILLIC, _GREEK) if any(letter in table for letter in symbol)]
        table = self.random.choice(tables)
        places = [place for place, letter in enumerate(symbol) if letter in table]
        place = self.random.choice(places)
        worn = symbol[:place] + table[symbol[place]] + symbol[place + 1 :]
        if fold(worn) != fold(symbol):
            raise ValueError(f"{worn} does not read like {symbol}")
        return worn
