"""A generated world of tokens with known ground truth, and labelled queries about it.

It is generated, not observed: no person judged these results, and nothing here says how often such queries are made.
The role of a token (original, deployment on another chain, relative, same-symbol token, copy) is decided here. Its
facts are written for three chains as the indexer writes them; search never sees the role. Grades follow from roles:

    3  the original of the symbol that was meant
    2  the same project's deployments on other chains
    1  a same-symbol token (another project, on a chain without the original), a relative (a longer symbol)
    0  copies, and everything else

Easy on purpose: originals have enough depth to be established, copies are newer and have no market that counts;
symbols are made of syllables, so a misspelling is seldom another symbol. Hard on purpose: copies are spelled in nine
ways, some have shallow pools, and some contradict each ranking term (chain, status, exactness). The same
seed gives the same world.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from warehouse.chains import facts, majors
from warehouse.domain.symbols import fold

SEED = 20_260_501
BASE, ETH, BNB = 8453, 1, 56
CHAINS = {BASE: "base", ETH: "eth", BNB: "bnb"}
POPULAR, RARE = 40, 60
RARE_DEPTH_USD = 40_000
"""Enough to be established."""
_SYLLABLES = (
    "BA", "BO", "CRO", "DA", "DRI", "FE", "FLO", "GA", "GRU", "HO", "JA", "KI", "KRA", "LU", "MA", "MEL", "NO", "NUX",
    "OR", "PLI", "QUA", "RI", "SA", "SOL", "STO", "TAU", "TRE", "UL", "VE", "VOX", "WI", "YO", "ZEN", "ZI",
)  # fmt: skip
_ENDINGS = ("INU", "DAO", "AI", "X", "SWAP", "2")
_CYRILLIC = str.maketrans("AEOPCTXKMHB", "АЕОРСТХКМНВ")
_GREEK = str.maketrans("AEIKMNOPTXYZ", "ΑΕΙΚΜΝΟΡΤΧΥΖ")
_DIGITS = str.maketrans("OIS", "015")
_ACCENTS = str.maketrans("AEOUI", "ÁÈÖÛÍ")


@dataclass(frozen=True, slots=True)
class Token:
    """A planted token: what it is, and the facts that are written of it."""

    chain_id: int
    number: int
    symbol: str
    name: str
    role: str
    holders: int
    depth_usd: int
    creator: int

    @property
    def address(self) -> str:
        """Hexadecimal, without prefix."""
        return f"{self.number:040x}"


@dataclass(slots=True)
class Family:
    """A project, and all other tokens planted around its symbol."""

    symbol: str
    name: str
    original: Token
    deployments: list[Token] = field(default_factory=list)
    same_symbol: list[Token] = field(default_factory=list)
    relatives: list[Token] = field(default_factory=list)
    copies: list[Token] = field(default_factory=list)

    @property
    def genuine(self) -> list[Token]:
        """The project's own tokens."""
        return [self.original, *self.deployments]

    @property
    def tokens(self) -> list[Token]:
        """Everything planted for it, older tokens first."""
        return [*self.genuine, *self.same_symbol, *self.relatives, *self.copies]

    def copied(self, copy: Token) -> Token:
        """What a copy imitates: the project's token on its chain."""
        return next(token for token in self.genuine if token.chain_id == copy.chain_id)


@dataclass(frozen=True, slots=True)
class Query:
    """A query and the relevance grade of each token. Tokens without a grade are not relevant."""

    kind: str
    symbol: str
    grades: dict[tuple[int, str], int]
    family: Family
    chain: str | None = None
    token: Token | None = None


class World:
    """The token families generated from a seed, and the queries about them."""

    def __init__(self, seed: int = SEED) -> None:
        self._random = random.Random(seed)
        self._numbers = iter(lambda: self._random.getrandbits(150), 0)
        # A token of a major's name would be a copy of it.
        self._folds = set(majors.load(facts.load(None)).by_symbol)
        popular = [self._family(popular=True) for _ in range(POPULAR)]
        self.families = popular + [self._family(popular=False) for _ in range(RARE)]
        self.popular = popular

    @cached_property
    def copies(self) -> dict[tuple[int, str], Token]:
        """Every planted copy, and the token it imitates."""
        return {key(copy): family.copied(copy) for family in self.families for copy in family.copies}

    @cached_property
    def claimed(self) -> list[Family]:
        """Every other family: its owner claims."""
        return self.families[::2]

    def claims(self) -> list[Token]:
        """What the owners claim: the original; two of three also claim their deployments."""
        return [
            token
            for number, family in enumerate(self.claimed)
            for token in (family.genuine if number % 3 else [family.original])
        ]

    @cached_property
    def queries(self) -> list[Query]:
        """More than five hundred."""
        makers: dict[str, Callable[[Family], Query | None]] = {
            "exact": lambda family: self._query("exact", family, family.symbol),
            "name": lambda family: self._query("name", family, family.name.split()[0]),
            "other case": lambda family: self._query("other case", family, self._case(family.symbol)),
            "look-alike": self._lookalike,
            "misspelt": self._misspelt,
            "beginning": self._beginning,
            "one chain": self._one_chain,
            "address": self._address,
        }
        made = [make(family) for make in makers.values() for family in self.families]
        return [query for query in made if query is not None and query.grades]

    def _family(self, *, popular: bool) -> Family:
        pick = self._random
        symbol, name = self._symbol()
        chains = pick.sample(list(CHAINS), len(CHAINS))
        depth = int(10 ** pick.uniform(5.7, 7.0)) if popular else RARE_DEPTH_USD
        holders = pick.randint(45, 70) if popular else pick.randint(32, 40)
        creator = next(self._numbers)
        family = Family(symbol, name, self._token(chains[0], symbol, name, "original", holders, depth, creator))
        for chain in chains[1 : 1 + (pick.choice((0, 1, 1, 2)) if popular else 0)]:
            share = pick.uniform(0.05, 0.4)
            family.deployments.append(self._token(chain, symbol, name, "deployment", 33, int(depth * share), creator))
        free = [chain for chain in CHAINS if chain not in {token.chain_id for token in family.genuine}]
        if free and pick.random() < 0.25:
            chain = pick.choice(free)
            family.same_symbol.append(self._token(chain, symbol, f"{name} Club", "same symbol", 5, 0))
        for _ in range(pick.choice((0, 0, 1, 2)) if popular else 0):
            self._relative(family)
        forms = _forms(symbol)
        for token in family.genuine:
            for _ in range(pick.randint(1, 4) if popular else pick.choice((0, 1, 2))):
                spelled, shallow = pick.choice(forms), pick.choice((0, 0, 400)) if popular else 0
                family.copies.append(self._token(token.chain_id, spelled, name, "copy", pick.randint(1, 3), shallow))
        return family

    def _relative(self, family: Family) -> None:
        symbol = family.symbol + self._random.choice(_ENDINGS)
        if fold(symbol) in self._folds:
            return
        self._folds.add(fold(symbol))
        chain = self._random.choice(list(CHAINS))
        name = f"{family.name} {symbol[len(family.symbol) :].title()}"
        family.relatives.append(self._token(chain, symbol, name, "relative", 12, 0))

    def _token(
        self, chain: int, symbol: str, name: str, role: str, holders: int, depth: int, creator: int | None = None
    ) -> Token:
        number, maker = next(self._numbers), next(self._numbers) if creator is None else creator
        return Token(chain, number, symbol, name, role, holders, depth, maker)

    def _symbol(self) -> tuple[str, str]:
        while True:
            symbol = "".join(self._random.sample(_SYLLABLES, self._random.choice((1, 2, 2, 3, 3))))
            if 3 <= len(symbol) <= 9 and fold(symbol) not in self._folds:
                self._folds.add(fold(symbol))
                return symbol, f"{symbol.title()} {self._random.choice(('Coin', 'Protocol', 'Network', 'Token'))}"

    def _query(self, kind: str, family: Family, text: str) -> Query:
        return Query(kind, text, grades_of(family), family)

    def _case(self, symbol: str) -> str:
        return "".join(letter.lower() if self._random.random() < 0.6 else letter for letter in symbol)

    def _lookalike(self, family: Family) -> Query | None:
        spelled = family.symbol.translate(_DIGITS)
        return None if spelled == family.symbol else self._query("look-alike", family, spelled)

    def _misspelt(self, family: Family) -> Query | None:
        symbol = family.symbol
        for _ in range(20):
            spelled = self._edited(symbol)
            if len(spelled) >= 5 and fold(spelled) not in self._folds and fold(spelled) != fold(symbol):
                return self._query("misspelt", family, spelled)
        return None

    def _edited(self, symbol: str) -> str:
        """One typing error, not in the first letter."""
        at = self._random.randrange(1, len(symbol))
        letter = self._random.choice("ABCDEFGHJKMNPQRTUVWXYZ")
        match self._random.randrange(4):
            case 0:
                return symbol[:at] + symbol[at + 1 :]
            case 1:
                return symbol[:at] + letter + symbol[at:]
            case 2:
                return symbol[:at] + letter + symbol[at + 1 :]
            case _:
                return symbol[: at - 1] + symbol[at] + symbol[at - 1] + symbol[at + 1 :]

    def _beginning(self, family: Family) -> Query | None:
        """The beginning of a symbol, as typed so far. It means the top symbol with that prefix."""
        if len(family.symbol) < 4 or family.original.depth_usd <= RARE_DEPTH_USD:
            return None
        typed = family.symbol[: self._random.randint(3, len(family.symbol) - 1)]
        meant = [other for other in self.families if other.symbol.startswith(typed)]
        exact = [other for other in meant if other.symbol == typed]
        foremost = exact[0] if exact else max(meant, key=lambda other: other.original.depth_usd)
        grades = dict.fromkeys((key(token) for other in meant for token in other.genuine + other.relatives), 1)
        return Query("beginning", typed, grades | grades_of(foremost), foremost)

    def _one_chain(self, family: Family) -> Query:
        chain = self._random.choice(family.genuine).chain_id
        grades = {place: grade for place, grade in grades_of(family).items() if place[0] == chain}
        return Query("one chain", family.symbol, grades, family, chain=CHAINS[chain])

    def _address(self, family: Family) -> Query:
        """A query for one token by address, which may be a copy."""
        asked = [copy for copy in family.copies if copy.symbol.isascii() and copy.symbol.isalnum()]
        token = self._random.choice([*family.genuine, *asked])
        return Query("address", token.symbol, {key(token): 3}, family, CHAINS[token.chain_id], token)


def key(token: Token) -> tuple[int, str]:
    """A token's identity: chain and address."""
    return token.chain_id, token.address


def grades_of(family: Family) -> dict[tuple[int, str], int]:
    """Grades of a family's tokens for a query that means its symbol."""
    grades = {key(token): 1 for token in (*family.same_symbol, *family.relatives)}
    grades |= {key(token): 2 for token in family.deployments}
    return grades | {key(family.original): 3}


def _forms(symbol: str) -> Sequence[str]:
    """The ways in which a copy spells the symbol."""
    full_width = "".join(chr(ord(letter) + 0xFEE0) for letter in symbol)
    return [
        symbol,
        symbol.lower(),
        f"${symbol}",
        symbol.translate(_DIGITS),
        symbol.translate(_CYRILLIC),
        symbol.translate(_GREEK),
        symbol.translate(_ACCENTS),
        full_width,
        f"{symbol[:2]}\u200b{symbol[2:]}",
    ]
