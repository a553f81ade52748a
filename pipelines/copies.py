"""Which tokens imitate others: one verdict per token, with the rule and the original.

These functions are the specification; :mod:`pipelines.documents.verdicts` computes the same for many tokens at once.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from pipelines.rules import COPY_FACTOR, COPY_MIN_HOLDERS
from warehouse.domain.majors import Majors


@dataclass(frozen=True, slots=True)
class Candidate:
    """A token as the copy rules and precedence see it."""

    chain_id: int
    address: str
    symbol_folded: str
    first_time: datetime
    holders: int
    liquidity_usd: Decimal | None
    has_market: bool
    market_score: Decimal
    registered_at: datetime | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a token is a copy, of what, and by which rule (``registered``, ``older_and_larger``, ``major``)."""

    is_copy: bool = False
    of_chain_id: int = 0
    of_address: str = ""
    rule: str = ""


def judge(group: Sequence[Candidate], known: Majors) -> dict[str, Verdict]:
    """Verdicts for the tokens of one chain that share a folded symbol, by address.

    A registered token is the original of its symbol, unless it imitates a major; where several are registered under
    confusable symbols, the earliest is.
    """
    registered = min(
        (token for token in group if token.registered_at is not None),
        key=lambda token: (token.registered_at, token.address),
        default=None,
    )
    verdicts = {token.address: _verdict(token, group, registered, known) for token in group}
    return {address: through_copies(address, verdict, verdicts) for address, verdict in verdicts.items()}


def _verdict(token: Candidate, group: Sequence[Candidate], registered: Candidate | None, known: Majors) -> Verdict:
    major = known.original_of(token.chain_id, token.address, token.symbol_folded)
    if major is not None:
        return Verdict(True, major[0], major[1], "major")
    if registered is not None and token is not registered and not _is_major(token, known):
        return Verdict(True, registered.chain_id, registered.address, "registered")
    if registered is token or token.has_market or _is_major(token, known):
        return Verdict()
    larger = [other for other in group if other is not token and _outweighs(other, token)]
    if not larger:
        return Verdict()
    original = max(larger, key=lambda other: (other.liquidity_usd or Decimal(0), other.holders, other.address))
    return Verdict(True, original.chain_id, original.address, "older_and_larger")


def _is_major(token: Candidate, known: Majors) -> bool:
    return known.is_major(token.chain_id, token.address, token.symbol_folded)


def _outweighs(other: Candidate, token: Candidate) -> bool:
    return (
        (other.first_time, other.address) < (token.first_time, token.address)
        and other.holders >= max(COPY_MIN_HOLDERS, COPY_FACTOR * token.holders)
        and (other.liquidity_usd or Decimal(0)) >= COPY_FACTOR * (token.liquidity_usd or Decimal(0))
    )


def through_copies(address: str, verdict: Verdict, verdicts: Mapping[str, Verdict]) -> Verdict:
    """The verdict of a token, where its original is itself a copy with the original of that one, and so on."""
    seen = {address}
    while verdict.is_copy and verdict.rule == "older_and_larger" and verdict.of_address not in seen:
        beyond = verdicts[verdict.of_address]
        if not beyond.is_copy:
            break
        seen.add(verdict.of_address)
        verdict = Verdict(True, beyond.of_chain_id, beyond.of_address, verdict.rule)
        if beyond.rule != "older_and_larger":
            break
    return verdict


def precedence(tokens: Iterable[tuple[Candidate, Verdict]]) -> list[str]:
    """Addresses of the tokens of one symbol on one chain, the one a lookup by symbol means first: the registered
    one, then originals before copies, the larger market, the more holders, the older."""
    return [
        token.address
        for token, _ in sorted(
            tokens,
            key=lambda item: (
                item[0].registered_at is None,
                item[1].is_copy,
                -item[0].market_score,
                -item[0].holders,
                item[0].first_time,
                item[0].address,
            ),
        )
    ]
