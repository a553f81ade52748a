"""What copy verdicts rest on: the standings of tokens in the last hours, and what people decided."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from pipelines.copies import NOTHING, Candidate, Exceptions, Hours, Verdict
from pipelines.refresh_run import RefreshRun
from pipelines.weights.progress import SUBJECT, read_progress
from warehouse.domain.addresses import digits_of, stored_from_digits
from warehouse.domain.chains import Chain
from warehouse.domain.copies import HOUR_SECONDS, Standing

_ADDRESSES_PER_QUERY = 2_000


@dataclass(frozen=True, slots=True)
class _Consent:
    senior_address: str
    address: str


@dataclass(frozen=True, slots=True)
class _Ruling:
    address: str
    is_copy: bool
    of_address: str | None
    symbol_folded: str | None
    """The symbol that it was given for; None for any."""


def read_hours(run: RefreshRun, chain: Chain, addresses: Sequence[str]) -> Hours:
    """The hours that a verdict looks at, and the standings of these tokens (with prefix) in them."""
    window = run.windows.open(SUBJECT, chain)
    progress = read_progress(window.details) if window else None
    if progress is None or not progress.started:
        return Hours()
    first = max(progress.history_from, progress.closed_to - run.copy_rules.settle_hours * HOUR_SECONDS)
    seconds = range(progress.closed_to - HOUR_SECONDS, first - 1, -HOUR_SECONDS)
    if not seconds:
        return Hours()
    place_of = {hour: place for place, hour in enumerate(seconds)}
    standings: dict[str, list[Standing]] = defaultdict(lambda: [NOTHING] * len(seconds))
    for start in range(0, len(addresses), _ADDRESSES_PER_QUERY):
        found = run.read(
            "documents/standings",
            {
                "chain_id": chain.chain_id,
                "tokens": ",".join(digits_of(address) for address in addresses[start : start + _ADDRESSES_PER_QUERY]),
                "first_hour": seconds[-1],
                "last_hour": seconds[0],
            },
        )
        for row in found:
            since = None if row["since_seconds"] is None else datetime.fromtimestamp(row["since_seconds"], UTC)
            standing = Standing(row["held_usd"], row["established_usd"], since)
            standings[stored_from_digits(row["token_hex"])][place_of[row["hour_seconds"]]] = standing
    newest = datetime.fromtimestamp(seconds[0], UTC)
    return Hours([newest - timedelta(hours=ago) for ago in range(len(seconds))], dict(standings))


def read_exceptions(run: RefreshRun, chain: Chain, tokens: Sequence[Candidate]) -> Exceptions:
    """The consents to migrations to these tokens, and the operator's verdicts on them under their present symbols."""
    borne = {token.address: token.symbol_folded for token in tokens}
    keys = {"chain_id": chain.chain_id, "addresses": list(borne)}
    consents = run.store_records(_Consent, "copies/list_consents", keys)
    rulings = run.store_records(_Ruling, "copies/list_rulings", keys)
    return Exceptions(
        frozenset((consent.senior_address, consent.address) for consent in consents),
        {
            ruling.address: Verdict(ruling.is_copy, chain.chain_id, ruling.of_address or "", "operator")
            if ruling.is_copy
            else Verdict()
            for ruling in rulings
            if ruling.symbol_folded in (None, borne[ruling.address])
        },
    )
