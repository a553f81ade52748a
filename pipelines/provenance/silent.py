"""Accounts of Solana that do not speak for a token although the chain names them."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from pipelines.documents.inputs import ControlInputs
from pipelines.refresh_run import RefreshRun
from pipelines.tokens.accounts import Marks, possible_wallets, read_marks
from warehouse.domain.addresses import digits_of
from warehouse.domain.authorities import speaks_for
from warehouse.domain.chains import Chain

Inputs = TypeVar("Inputs", bound=ControlInputs)


def with_silent(run: RefreshRun, chain: Chain, tokens: Sequence[Inputs]) -> Sequence[Inputs]:
    """The same tokens, each with the accounts that do not speak for it. Tokens of chains without authorities stay."""
    if not chain.has_authorities:
        return tokens
    possible = possible_wallets(chain, (account for token in tokens for account in _named(token)))
    marks = read_marks(run, chain, possible)
    launchpads = frozenset(map(digits_of, chain.launchpads))
    return [replace(token, silent=_silent(token, possible, marks, launchpads)) for token in tokens]


def _silent(token: ControlInputs, possible: set[str], marks: Marks, launchpads: frozenset[str]) -> frozenset[str]:
    found = {
        account
        for account in _named(token)
        if account not in possible or not speaks_for(token.token, marks.get(account, {}).values())
    }
    # A launchpad's program may let anybody pay for the mint of somebody else's token.
    return frozenset(found | {token.creator} if token.factory in launchpads else found)


def _named(token: ControlInputs) -> Iterable[str]:
    yield from (account for kind, account, _, _ in token.authorities if kind != "freeze_authority")
    if token.creator:
        yield token.creator
