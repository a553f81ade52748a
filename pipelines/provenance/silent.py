"""Accounts of Solana that do not speak for a token although the chain names them."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from pipelines.documents.inputs import ControlInputs
from pipelines.refresh_run import RefreshRun
from pipelines.tokens.accounts import Marks, possible_wallets, read_marks
from warehouse.domain.addresses import digits_of
from warehouse.domain.authorities import is_shared, speaks_for
from warehouse.domain.chains import Chain
from warehouse.domain.mints import MintControl

Inputs = TypeVar("Inputs", bound=ControlInputs)
_SPEAKING = (MintControl.MINT_AUTHORITY, MintControl.UPDATE_AUTHORITY)


def with_silent(run: RefreshRun, chain: Chain, tokens: Sequence[Inputs]) -> Sequence[Inputs]:
    """The same tokens, each with the accounts that do not speak for it. Tokens of chains without authorities stay."""
    if not chain.has_authorities:
        return tokens
    possible = possible_wallets(chain, (account for token in tokens for account in (*_named(token), *_holder(token))))
    marks = read_marks(run, chain, possible)
    launchpads = frozenset(map(digits_of, chain.launchpads))
    return [
        replace(
            token,
            silent=_silent(token, possible, marks, launchpads),
            holder_is_shared=any(is_shared(marks.get(holder, {}).values()) for holder in _holder(token)),
        )
        for token in tokens
    ]


def _silent(token: ControlInputs, possible: set[str], marks: Marks, launchpads: frozenset[str]) -> frozenset[str]:
    found = {
        account
        for account in _named(token)
        if account not in possible or not speaks_for(token.token, marks.get(account, {}).values())
    }
    # A launchpad's program may let anybody pay for the mint of somebody else's token.
    return frozenset(found | {token.creator} if token.factory in launchpads else found)


def _named(token: ControlInputs) -> Iterable[str]:
    yield from (account for kind, account, _, _ in token.authorities if account and kind in _SPEAKING)
    if token.creator:
        yield token.creator


def _holder(token: ControlInputs) -> Sequence[str]:
    """Its largest holder, if that one has the majority."""
    return token.largest_wallets[:1] if token.has_majority else ()
