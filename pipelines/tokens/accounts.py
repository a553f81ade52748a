"""Which accounts created which mints of Solana, or were put in charge of them (``agg_account_token``).

An account that is in charge of many mints speaks for none of them (``warehouse.domain.authorities``). So a new mint of
an account can change who controls its others: their documents are requested before the marks are written. A run that
dies in between finds the same differences again.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipelines import frames
from pipelines.documents.requests import request_documents
from pipelines.refresh_run import RefreshRun
from pipelines.rules import NOBODY
from pipelines.windows import Window
from warehouse.domain.addresses import digits_of
from warehouse.domain.authorities import Mark, has_key, is_needed, is_shared, speaks_for
from warehouse.domain.chains import Chain

CAUSE = "authority"
"""The cause of its document requests."""
_ACCOUNTS_PER_QUERY = 1_500
"""Their keys are passed as parameters, of which the server takes 128 KiB at a time."""
_COLUMNS = {
    "chain_id": frames.UINT32,
    "side": frames.TEXT,
    "key": frames.HEX,
    "other": frames.HEX,
    "block_number": frames.UINT64,
    "position": frames.UINT32,
    "signed": frames.UINT8,
    "deleted": frames.UINT8,
    "version": frames.UINT64,
}
Marks = Mapping[str, Mapping[str, Mark]]
"""The marks of accounts, by account and token."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A pair of which the facts say something else than what is kept."""

    account: str
    token: str
    kept: bool
    mark: Mark | None
    """None: the facts do not say it any more."""


def refresh_accounts(run: RefreshRun, window: Window, part: Mapping[str, Any]) -> None:
    """Bring the marks of the touched tokens up to date. Call it under the serving lock only."""
    chain = window.chain
    found = [_difference(row) for row in run.read("tokens/account_marks", part)]
    possible = possible_wallets(chain, (difference.account for difference in found))
    differences = [difference for difference in found if difference.account in possible]
    if not differences:
        return
    before = read_marks(run, chain, {difference.account for difference in differences})
    written, after = apply(before, differences, window.final_block)
    touched = {difference.token for difference in differences}
    changed = changed_tokens(before, after) | _tokens_held(run, chain, before, after)
    request_documents(run, chain.chain_id, sorted(changed - touched), CAUSE)
    rows = [
        (chain.chain_id, side, key, other, *_values(difference.mark), run.version)
        for difference in written
        for side, key, other in (
            ("account", difference.account, difference.token),
            ("token", difference.token, difference.account),
        )
    ]
    if rows:
        run.warehouse.insert_arrow("agg_account_token", frames.of_tuples(_COLUMNS, rows))


def possible_wallets(chain: Chain, accounts: Iterable[str]) -> set[str]:
    """Those of some accounts (hexadecimal) that can speak for a token at all: they have a key, and the chain's facts do
    not name them among those that act for many."""
    declared = {*map(digits_of, chain.relayers), *map(digits_of, chain.launchpads)}
    return {account for account in {*accounts} - declared - NOBODY if has_key(bytes.fromhex(account))}


def read_marks(run: RefreshRun, chain: Chain, accounts: Iterable[str]) -> dict[str, dict[str, Mark]]:
    """The kept marks of some accounts."""
    found: dict[str, dict[str, Mark]] = defaultdict(dict)
    asked = sorted(accounts)
    for start in range(0, len(asked), _ACCOUNTS_PER_QUERY):
        keys = {"chain_id": chain.chain_id, "accounts": ",".join(asked[start : start + _ACCOUNTS_PER_QUERY])}
        for row in run.read("tokens/marks_of_accounts", keys):
            mark = Mark(row["block_number"], row["position"], row["token_hex"], bool(row["signed"]))
            found[row["account_hex"]][mark.token] = mark
    return found


def apply(
    before: Marks, differences: Sequence[Difference], final_block: int
) -> tuple[list[Difference], dict[str, dict[str, Mark]]]:
    """The differences that are to be written, and the marks after that. New marks that decide nothing any more are left
    out: an account may have millions."""
    after = {account: dict(marks) for account, marks in before.items()}
    written = []
    for difference in sorted(differences, key=_in_order):
        marks = after.setdefault(difference.account, {})
        if difference.mark is None:
            marks.pop(difference.token, None)
        elif difference.kept or is_needed(difference.mark, marks.values(), final_block):
            marks[difference.token] = difference.mark
        else:
            continue
        written.append(difference)
    return written, after


def changed_tokens(before: Marks, after: Marks) -> set[str]:
    """The tokens for which an account now speaks, or no longer does."""
    return {
        token
        for account in before.keys() | after.keys()
        for token in _spoken_for(before.get(account, {})) ^ _spoken_for(after.get(account, {}))
    }


def _tokens_held(run: RefreshRun, chain: Chain, before: Marks, after: Marks) -> set[str]:
    """The tokens of which an account has, or had, the majority that came to make mints for others, or no longer does.
    The latter needs a reorganisation, so that their holders need not be found fast."""
    crossed = {account: is_shared(marks.values()) for account, marks in after.items()}
    crossed = {account: now for account, now in crossed.items() if now != is_shared(before.get(account, {}).values())}
    found: set[str] = set()
    for query, is_now in (("tokens/majorities_served", True), ("tokens/majorities_held", False)):
        accounts = sorted(account for account, now in crossed.items() if now == is_now)
        for start in range(0, len(accounts), _ACCOUNTS_PER_QUERY):
            keys = {"chain_id": chain.chain_id, "accounts": ",".join(accounts[start : start + _ACCOUNTS_PER_QUERY])}
            found |= {row["token_hex"] for row in run.read(query, keys)}
    return found


def _spoken_for(marks: Mapping[str, Mark]) -> set[str]:
    return {token for token in marks if speaks_for(token, marks.values())}


def _difference(row: Mapping[str, Any]) -> Difference:
    block, position = row["first_stated"]
    mark = Mark(block, position, row["token_hex"], bool(row["signed"])) if row["stated"] else None
    return Difference(row["account_hex"], row["token_hex"], bool(row["kept"]), mark)


def _in_order(difference: Difference) -> tuple[bool, Mark]:
    """What is no longer so first, then in the order of the chain."""
    return difference.mark is not None, difference.mark or Mark(0, 0, difference.token, signed=False)


def _values(mark: Mark | None) -> tuple[int, int, int, int]:
    if mark is None:
        return 0, 0, 0, 1
    return mark.block, mark.position, int(mark.signed), 0
