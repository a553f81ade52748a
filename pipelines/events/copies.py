"""Events about copies: tokens that impersonate registered ones.

The statement that writes a token also stores its verdict (``copy_sighting``). Once the token and the registration are
final, one event is recorded for all new copies of the registration. Each copy is in one event only.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import groupby
from urllib.parse import quote

from pipelines.events.recording import SourceProgress, read_progress, recording, registration
from pipelines.events.rules import RULES
from pipelines.refresh_run import RefreshRun
from pipelines.windows import ReorgDuringRefresh, Window
from warehouse import settings
from warehouse.domain.addresses import checksum_address, digits_of
from warehouse.domain.chains import Chain
from warehouse.domain.events.copies import CopycatDetected, Sighting
from warehouse.domain.events.event import Occurrence
from warehouse.domain.events.registrations import of_registration

SOURCE = "copies"


@dataclass(frozen=True, slots=True)
class FoundCopy:
    """A copy without an event and the registration it copies: a row of ``copies/list_due``."""

    address: str
    of_chain_id: int
    of_token_id: int
    first_seen_at: datetime
    minted_at: datetime
    symbol: str
    standing: bool
    """Whether the verdict and the registration still hold."""

    @property
    def token(self) -> str:
        """Its address in hexadecimal without prefix."""
        return digits_of(self.address)


def derive(run: RefreshRun, window: Window, final: int) -> int:
    """Record events about the chain's copies whose blocks are final. Returns the number of events."""
    chain = window.chain
    if not run.store_rows("copies/has_untold", {"chain_id": chain.chain_id})[0]["untold"]:
        return 0
    rows = run.read("events/block_time", {"chain_id": chain.chain_id, "final": final})
    if not rows:
        return 0
    final_time = datetime.fromtimestamp(rows[0]["seconds"], UTC)
    due = run.store_records(FoundCopy, "copies/list_due", {"chain_id": chain.chain_id, "final_time": final_time})
    first_seen = _first_blocks(run, window, [copy.token for copy in due])
    recorded = 0
    for of, found in groupby(due, key=lambda copy: (copy.of_chain_id, copy.of_token_id)):
        # The list of tokens is updated after the events: it may still hold tokens that a reorg removed.
        seen = [replace(copy, standing=copy.standing and copy.token in first_seen) for copy in found]
        ready = [copy for copy in seen if first_seen.get(copy.token, 0) <= final]
        if ready:
            recorded += _settle(run, window, read_progress(run, chain, SOURCE), of, ready)
    return recorded


def _first_blocks(run: RefreshRun, window: Window, tokens: Sequence[str]) -> dict[str, int]:
    if not tokens:
        return {}
    parameters = {"chain_id": window.chain.chain_id, "through": window.through, "addresses": list(tokens)}
    return {row["token_hex"]: row["first_seen"] for row in run.read("events/first_blocks", parameters)}


def _settle(
    run: RefreshRun, window: Window, progress: SourceProgress, of: tuple[int, int], found: Sequence[FoundCopy]
) -> int:
    """Record the copies of one registration and mark them as recorded, in one transaction."""
    chain = window.chain
    key = {"chain_id": chain.chain_id, "of_chain_id": of[0], "of_token_id": of[1]}
    gone = [copy.address for copy in found if not copy.standing]
    standing = [copy for copy in found if copy.standing]
    # Copies from before the history began are not recorded, unless their original is newer.
    recent = [copy for copy in standing if max(copy.minted_at, copy.first_seen_at) >= progress.told_from]
    at_once = RULES.max_sightings
    groups = [recent[start : start + at_once] for start in range(0, len(recent), at_once)]
    original = run.chains.by_id(of[0]) or chain
    events = [copy_event(chain, original, of[1], group, settings.load().public_site_url) for group in groups]
    told = [copy.address for copy in standing]
    with recording(run, window, progress, progress.stored, events):
        if len(run.store_rows("copies/mark_told", {**key, "addresses": told})) != len(told):
            raise ReorgDuringRefresh(f"copies on chain {chain.key} were recorded by another run")
        run.store_rows("copies/forget", {**key, "addresses": gone})
    return len(events)


def copy_event(chain: Chain, original: Chain, token_id: int, found: Sequence[FoundCopy], site_url: str) -> Occurrence:
    """One event about copies on ``chain`` of a registration on ``original``. Its time is the time of recording."""
    symbol = found[0].symbol
    addresses = [copy.address for copy in found]
    event = CopycatDetected(
        sightings=tuple(
            Sighting(
                chain_id=chain.chain_id,
                chain_name=chain.name,
                address=checksum_address(address),
                explorer_url=f"{chain.explorer_url}/token/{checksum_address(address)}",
            )
            for address in addresses
        ),
        action_url=f"{site_url}/{original.key}/{quote(symbol, safe='')}",
    )
    digest = hashlib.sha256(f"{chain.chain_id} {' '.join(addresses)}".encode()).hexdigest()[:32]
    now = int(datetime.now(UTC).timestamp())
    return of_registration(event, registration(original, token_id, symbol), now, copies=digest)
