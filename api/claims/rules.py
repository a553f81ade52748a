"""Rules on which tokens may be registered: symbol format, well-known coins, copies."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Protocol

from api.claims.errors import TokenNotRegistrable, Undecided
from api.claims.evidence import Evidence
from api.claims.freshness import require_fresh, require_judged_as, require_sound
from api.claims.messages import Claim
from api.claims.repository import ClaimRepository, Published
from api.http.times import timestamp
from api.warehouse import WarehouseReader
from warehouse import sql
from warehouse.domain.addresses import checksum_address
from warehouse.domain.lifecycle import RESERVED_FOR
from warehouse.domain.majors import Majors
from warehouse.domain.registrable import Obstacle, SymbolRules
from warehouse.domain.symbols import fold, is_registrable_symbol


class TokenFacts(Protocol):
    """What rules need to know of a token now.

    ``head_time`` is the time of the chain's newest block. ``symbol`` is None where nothing at the address has one, and
    ``absence`` says why.
    """

    @property
    def head_time(self) -> datetime: ...  # noqa: D102
    @property
    def symbol(self) -> str | None: ...  # noqa: D102
    @property
    def absence(self) -> str: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a token cannot be registered: ``reason`` is check-qualify's word for it, ``rule`` names the exact rule."""

    reason: str
    rule: str
    message: str
    original: Mapping[str, Any] = field(default_factory=dict)
    evidence: Mapping[str, Any] = field(default_factory=dict)

    def problem(self, address_field: str = "tokenAddress") -> str:
        """The message of the error: the field, then the reason. ``address_field`` is the one that names the token."""
        field = address_field if self.rule == "not_a_token" else "symbol"
        return f"{field}: {self.message[:1].lower()}{self.message[1:].removesuffix('.')}"

    def claimability(self, support_email: str) -> dict[str, Any]:
        """The object that names the problem and the support contact for the token's owner."""
        return {
            "claimable": False,
            "reason": self.reason,
            "rule": self.rule,
            "message": self.message,
            "supportEmail": support_email,
            **({"original": dict(self.original)} if self.original else {}),
            **({"evidence": dict(self.evidence)} if self.evidence else {}),
        }


def require_registrable(refusal: Refusal | None, support_email: str, *, address_field: str = "tokenAddress") -> None:
    """Refuse the claim where a rule does.

    Raises:
        TokenNotRegistrable: a rule does.
    """
    if refusal is None:
        return
    raise TokenNotRegistrable(
        refusal.problem(address_field),
        details={
            "check": refusal.reason if refusal.reason == "copycat" else refusal.rule,
            "claimability": refusal.claimability(support_email),
            "supportEmail": support_email,
        },
    )


def refuse_misnamed(claim: Claim, reading: TokenFacts) -> Refusal | None:
    """Why the claimed symbol is not the token's own, or cannot be one; None if it is."""
    if reading.symbol is None:
        return Refusal("not_claimable", "not_a_token", reading.absence)
    if not is_registrable_symbol(reading.symbol) or reading.symbol.upper() != claim.symbol:
        return Refusal(
            "not_claimable",
            "symbol_format",
            "The token's own symbol must be the claimed one: 1 to 12 letters or digits, not digits only.",
        )
    return None


@dataclass(frozen=True, slots=True)
class TokenRules:
    """Applies the rules to tokens: the warehouse's published verdicts, checked against the chain.

    Args:
        registered_token_id: the registration that holds the claimed symbol on the chain now.
        symbol_of: the present symbol of another token on the claim's chain; None where it no longer exists.
    """

    majors: Majors
    repository: ClaimRepository
    warehouse: WarehouseReader
    max_verdict_age: timedelta
    registered_token_id: Callable[[Claim], Awaitable[int | None]]
    symbol_of: Callable[[Claim, str], Awaitable[str | None]]

    async def judge(self, claim: Claim, reading: TokenFacts) -> Refusal | None:
        """Why the token cannot be registered, or None.

        Raises:
            RpcError, WarehouseError, Undecided: it cannot be answered now.
        """
        misnamed = refuse_misnamed(claim, reading)
        if misnamed is not None or reading.symbol is None:
            return misnamed
        if SymbolRules(self.majors).obstacle(reading.symbol) is Obstacle.RESERVED_SYMBOL:
            return Refusal("not_claimable", Obstacle.RESERVED_SYMBOL, "The symbol is reserved: nobody can register it.")
        folded = fold(reading.symbol)
        if self.majors.is_major(claim.chain.chain_id, claim.token, folded):
            return Refusal("not_claimable", "major_coin", "A well-known coin is not registered by claims.")
        original = self.majors.original_of(claim.chain.chain_id, claim.token, folded)
        if original is not None:
            return _copy_of("major", *original)
        chain = claim.chain
        token = await self.repository.published(chain.chain_id, claim.token, folded, reading.head_time)
        require_sound(token.held_by)
        if token.reserved_for not in (None, claim.token):
            return _reserved(chain.chain_id, token)
        if token.ruled_copy is not None:
            return _ruled(chain.chain_id, token) if token.ruled_copy else None
        if chain.can_index:
            require_fresh(token.progress, reading.head_time, self.max_verdict_age)
        if token.copy_unknown is not None:
            raise Undecided(f"the token cannot be judged: {token.copy_unknown}")
        require_judged_as(token.symbol_key, folded)
        return await self._judge_copy(claim, folded, token)

    async def _judge_copy(self, claim: Claim, folded: str, token: Published) -> Refusal | None:
        if token.is_copy is None:
            await self._require_unique_symbol(claim, folded)
            return None
        if not token.is_copy:
            return None
        chain_id, address = token.copy_of_chain_id, token.copy_of_address
        if token.copy_rule == "registered" and chain_id is not None and address is not None:
            registered = await self.repository.active_symbol_of_token(chain_id, address)
            if registered == claim.symbol and await self.registered_token_id(claim) is not None:
                return None  # the duplicate check reports it
            if registered is None or registered == claim.symbol:
                # The other rules may hold: the original may have released its symbol to claim it for another wallet.
                raise Undecided("the registration that made the token a copy has ended: it will be judged again")
        elif chain_id == claim.chain.chain_id and address:
            found = await self.symbol_of(claim, address)
            if found is None or fold(found) != folded:
                return None  # the original no longer exists
        return _copy_of(token.copy_rule or "copy", chain_id, address, token.evidence)

    async def _require_unique_symbol(self, claim: Claim, folded: str) -> None:
        """Require that no other token has a similar symbol: a token that is not indexed yet has no verdict."""
        rows = await self.warehouse.rows(sql.load("queries/claims/similar_symbols"), {"folded": folded})
        symbols = sorted({row["symbol_key"] for row in rows if fold(row["symbol_key"]) == folded} | {claim.symbol})
        if await self.repository.has_token_of_symbols(claim.chain.chain_id, symbols):
            raise Undecided("the token is not indexed yet, and others have its symbol")


def _copy_of(rule: str, chain_id: int | None, address: str | None, evidence: Evidence | None = None) -> Refusal:
    original: dict[str, Any] = {"chainId": chain_id}
    if address:
        original["tokenAddress"] = checksum_address(address)
    figures = {} if evidence is None else evidence.as_json()
    return Refusal("copycat", rule, "This token's symbol passes it off as another token.", original, figures)


def _ruled(chain_id: int, token: Published) -> Refusal:
    return _copy_of("operator", chain_id, token.ruled_of, token.evidence)


def _reserved(chain_id: int, token: Published) -> Refusal:
    """The symbol is reserved for the token whose challenge ended, or is about to end, its registration."""
    until = "" if token.reserved_from is None else f" until {timestamp(token.reserved_from + RESERVED_FOR)}"
    original = {"chainId": chain_id, "tokenAddress": checksum_address(token.reserved_for or "")}
    message = f"An upheld challenge reserves the symbol for another token{until}."
    return Refusal("not_claimable", Obstacle.RESERVED_FOR_CHALLENGER, message, original)
