"""Which tokens are copies of others: one verdict per token, with the rule and the original.

The verdict follows from what was stored for the last hours, never from earlier verdicts, so it is the same after a
rebuild. ``docs/decisions/0033-copies-by-weight.md`` gives the reasons and the bounds. These functions are the
specification; :mod:`pipelines.documents.verdicts` computes the same for many tokens at once.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Literal

from warehouse.domain.copies import (
    CopyRule,
    CopyRules,
    Creation,
    Standing,
    is_established,
    is_lighter,
    is_senior,
    is_unlike_registered,
)
from warehouse.domain.majors import Majors

NOTHING = Standing()
CREATION_UNKNOWN = "creation_unknown"
DEPTH_UNKNOWN = "depth_unknown"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A token as the copy rules and precedence see it."""

    chain_id: int
    address: str
    symbol_folded: str
    first_time: datetime
    market_score: Decimal
    registered_at: datetime | None
    creation: Creation | None = None
    """None if it was not seen."""
    account: str = ""
    """The account that deployed it directly; empty if a factory or a relayer did, or it is unknown."""
    older_than_index: bool = False
    """It may be older than the first indexed block, so pools and depth of it may be unknown."""
    named_at: datetime | None = None
    """When it took its present symbol; None if it has always had it. ``creation`` is then no earlier."""


@dataclass(frozen=True, slots=True)
class Hours:
    """Hours that a verdict looks at, the newest first, and the standing of each token at the end of each. A chain
    without a complete hour has none: all tokens are then without depth."""

    hours: Sequence[datetime] = ()
    standings: Mapping[str, Sequence[Standing]] = field(default_factory=dict)
    """By address; as many as there are hours. Tokens without depth are absent."""

    def __len__(self) -> int:
        """How many moments a verdict looks at."""
        return len(self.hours) or 1

    def standing(self, address: str, place: int) -> Standing:
        """The standing of a token in one of the hours."""
        found = self.standings.get(address)
        return found[place] if found else NOTHING

    def since_named(self, tokens: Iterable[Candidate]) -> "Hours":
        """The same with no seniority from before a token took its symbol: one that has long had depth under another
        name is not senior under this one."""
        named = {
            token.address: token.named_at for token in tokens if token.named_at and token.address in self.standings
        }
        if not named:
            return self
        later = {
            address: [standing.since_named(at) for standing in self.standings[address]] for address, at in named.items()
        }
        return Hours(self.hours, {**self.standings, **later})


@dataclass(frozen=True, slots=True)
class Exceptions:
    """What people decided. ``consents`` has pairs of addresses, the senior token's first: its controller agreed to the
    migration. ``rulings`` has the operator's verdicts by address: the original, or None for "not a copy"."""

    consents: AbstractSet[tuple[str, str]] = frozenset()
    rulings: Mapping[str, "Verdict"] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a token is a copy, of what, and by which rule (``operator``, ``major``, ``registered``, ``senior``)."""

    is_copy: bool = False
    of_chain_id: int = 0
    of_address: str = ""
    rule: CopyRule | Literal[""] = ""
    until: datetime | None = None
    """When the verdict ends, if the rule does not hold any more; None while it holds."""
    unknown: str = ""
    """Why the verdict is not certain: ``creation_unknown`` or ``depth_unknown``; empty if it is."""


def judge(
    group: Sequence[Candidate],
    known: Majors,
    seen: Hours | None = None,
    rules: CopyRules | None = None,
    exceptions: Exceptions | None = None,
) -> dict[str, Verdict]:
    """Verdicts for the tokens of one chain that share a folded symbol, by address.

    A token is a copy if the rule held in any of the last hours: it becomes one at once, and ceases to be one when the
    rule has not held for a day.
    """
    seen, rules, exceptions = (seen or Hours()).since_named(group), rules or CopyRules(), exceptions or Exceptions()
    verdicts = {token.address: _verdict(token, group, known, seen, rules, exceptions) for token in group}
    return {address: through_copies(address, verdict, verdicts) for address, verdict in verdicts.items()}


def first_registered(group: Iterable[Candidate]) -> Candidate | None:
    """The registered token of a symbol that counts, where several are registered under confusable ones."""
    return min(
        (token for token in group if token.registered_at is not None),
        key=lambda token: (token.registered_at, token.address),
        default=None,
    )


def _verdict(
    token: Candidate, group: Sequence[Candidate], known: Majors, seen: Hours, rules: CopyRules, exceptions: Exceptions
) -> Verdict:
    if token.address in exceptions.rulings:
        return exceptions.rulings[token.address]
    major = known.original_of(token.chain_id, token.address, token.symbol_folded)
    if major is not None:
        return Verdict(True, major[0], major[1], "major")
    if known.is_major(token.chain_id, token.address, token.symbol_folded):
        return Verdict()
    others = [other for other in group if other is not token and not is_migration(other, token, exceptions)]
    registered = first_registered(group)
    found = [
        (rule, original, order, place)
        for place in range(len(seen))
        for rule, original, order in _rivals(token, others, registered, place, seen, rules)
    ]
    return _decide(token, group, found, seen, rules)


def is_migration(senior: Candidate, token: Candidate, exceptions: Exceptions) -> bool:
    """Whether a token is a new version of another by the same people, which is no copy: one account deployed both
    itself, or the controller of the senior token signed for it."""
    return (
        bool(token.account and token.account == senior.account)
        or (
            senior.address,
            token.address,
        )
        in exceptions.consents
    )


def _rivals(
    token: Candidate,
    others: Sequence[Candidate],
    registered: Candidate | None,
    place: int,
    seen: Hours,
    rules: CopyRules,
) -> Iterable[tuple[CopyRule, Candidate, bool | None]]:
    """Tokens of which a token was a copy in one hour, if they are senior to it: the rule, the token, and whether it is
    senior (None: unknown)."""
    own = seen.standing(token.address, place)
    for other in others:
        standing = seen.standing(other.address, place)
        senior = is_senior(standing, other.creation, own, token.creation)
        if senior is False:
            continue
        if other is registered and is_unlike_registered(own, standing):
            yield "registered", other, senior
        if is_established(standing, rules) and is_lighter(own, standing, rules) and _came_first(token, standing):
            yield "senior", other, senior


def _came_first(token: Candidate, senior: Standing) -> bool:
    """Whether a token is judged by a senior one: a registered one only if that had depth when it was registered. So a
    registered token without a market is not displaced by a later one."""
    return token.registered_at is None or (senior.since is not None and senior.since < token.registered_at)


def _decide(
    token: Candidate,
    group: Sequence[Candidate],
    found: Sequence[tuple[CopyRule, Candidate, bool | None, int]],
    seen: Hours,
    rules: CopyRules,
) -> Verdict:
    held = [(place, rule, original) for rule, original, senior, place in found if senior]
    if not held:
        namesake_unknown = any(other.older_than_index for other in group if other is not token)
        unknown = DEPTH_UNKNOWN if namesake_unknown else CREATION_UNKNOWN if found else ""
        return Verdict(unknown=unknown)
    place, rule, original = min(
        held,
        key=lambda item: (
            item[0],
            item[1] != "registered",
            -seen.standing(item[2].address, item[0]).established_usd,
            item[2].address,
        ),
    )
    return Verdict(
        True,
        original.chain_id,
        original.address,
        rule,
        seen.hours[place] + timedelta(hours=rules.settle_hours + 1) if place else None,
        DEPTH_UNKNOWN if token.older_than_index else "",
    )


def through_copies(address: str, verdict: Verdict, verdicts: Mapping[str, Verdict]) -> Verdict:
    """The verdict of a token, where its original is itself a copy with the original of that one, and so on."""
    seen = {address}
    named = verdict
    while named.is_copy and named.rule == "senior" and named.of_address not in seen:
        beyond = verdicts[named.of_address]
        if not beyond.is_copy or beyond.of_address == address:
            break
        seen.add(named.of_address)
        named = beyond
    if named is verdict:
        return verdict
    return replace(verdict, of_chain_id=named.of_chain_id, of_address=named.of_address)


def precedence(tokens: Iterable[tuple[Candidate, Verdict]]) -> list[str]:
    """Addresses of the tokens of one symbol on one chain, the one a lookup by symbol means first: the registered
    one, then originals before copies, the larger market, the older. ``tokens/foremost`` orders alike."""
    return [
        token.address
        for token, _ in sorted(
            tokens,
            key=lambda item: (
                item[0].registered_at is None,
                item[1].is_copy,
                -item[0].market_score,
                item[0].first_time,
                item[0].creation is None,
                item[0].creation or Creation(0, 0),
                item[0].address,
            ),
        )
    ]
