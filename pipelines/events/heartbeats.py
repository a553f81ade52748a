"""Events about heartbeats: warnings, critical levels, recoveries and changes of status of registered tokens.

The scores of closed hours are judged. They never change once they are made, so the event is final too. A gap in the
data is no change: what a score lost because the chain was not observed does not count, and a day with large gaps is not
judged.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal

from pipelines.events.crowns import Crown, Crowns, read_crowns
from pipelines.events.recording import iso, read_progress, recording, registration
from pipelines.events.rules import RULES, EventRules
from pipelines.refresh_run import RefreshRun
from pipelines.scoring import Inputs, score
from pipelines.windows import Window
from warehouse.domain.addresses import digits_of
from warehouse.domain.chains import Chain
from warehouse.domain.events.event import Occurrence
from warehouse.domain.events.heartbeats import (
    HeartbeatChanged,
    HeartbeatCritical,
    HeartbeatRecovered,
    HeartbeatWarning,
)
from warehouse.domain.events.registrations import RegistrationEvent, of_registration
from warehouse.domain.lifecycle import heartbeat_status
from warehouse.postgres import Jsonb

SOURCE = "heartbeats"
_HOUR_SECONDS = 3_600
_HOURS_AT_ONCE = 24
_WELL, _WARNING, _CRITICAL = "well", "warning", "critical"
_FURTHEST_HOURS = 31 * 24


@dataclass(frozen=True, slots=True)
class Beat:
    """A registration's heartbeat in the last event."""

    level: str
    status: str
    score: Decimal


@dataclass(frozen=True, slots=True)
class Scored:
    """The score of a token at the end of an hour (unix seconds), and its inputs."""

    token: str
    ended_at: int
    score: Decimal
    version: int
    inputs: Inputs


def derive(run: RefreshRun, window: Window, final: int, closed_to: int) -> int:
    """Record the events of the hours that closed up to ``closed_to`` (unix seconds); how many."""
    chain = window.chain
    progress = read_progress(run, chain, SOURCE)
    start = int(progress.told_from.timestamp()) // _HOUR_SECONDS * _HOUR_SECONDS
    first = max(start, progress.position or 0)
    if closed_to <= (progress.position or 0):
        return 0
    first = max(first, closed_to - _HOURS_AT_ONCE * _HOUR_SECONDS)
    events, beats = _find_events(run, chain, final, first, closed_to) if first < closed_to else ([], {})
    rows = [
        {"token_id": token_id, "level": beat.level, "status": beat.status, "score": str(beat.score)}
        for token_id, beat in beats.items()
    ]
    with recording(run, window, replace(progress, in_time=True), closed_to, events):
        if rows:
            run.store_rows("events/save_heartbeats", {"chain_id": chain.chain_id, "beats": Jsonb(rows)})
    return len(events)


def _find_events(
    run: RefreshRun, chain: Chain, final: int, first: int, until: int
) -> tuple[list[Occurrence], dict[int, Beat]]:
    bounds = {"chain_id": chain.chain_id, "final": final, "first": first, "until": until}
    scored = [
        Scored(
            row["token_hex"],
            row["began"] + _HOUR_SECONDS,
            row["score"],
            row["weights_version"],
            Inputs.from_json(row["inputs"]),
        )
        for row in run.read("events/scores", bounds)
    ]
    leaving = run.store_rows(
        "events/list_leaving_grace",
        {
            "chain_id": chain.chain_id,
            "after": datetime.fromtimestamp(first, UTC) - RULES.grace,
            "until": datetime.fromtimestamp(until, UTC) - RULES.grace,
        },
    )
    tokens = {one.token for one in scored} | {digits_of(row["token_address"]) for row in leaving}
    if not tokens:
        return [], {}
    crowns = read_crowns(run, chain, tokens)
    ids = sorted({one.token_id for held in crowns.of_token.values() for one in held})
    states = run.store_rows("events/list_states", {"chain_id": chain.chain_id, "token_ids": ids})
    known = {
        row["token_id"]: Beat(row["heartbeat_level"], row["heartbeat_status"], row["heartbeat_score"])
        for row in states
        if row["heartbeat_level"] is not None
    }
    events, beats = heartbeat_events(chain, scored, crowns, known, final)
    changed, left = _leave_grace(chain, tokens, crowns, {**known, **beats}, until, final)
    return [*events, *changed], {**beats, **left}


def heartbeat_events(
    chain: Chain,
    scored: Sequence[Scored],
    crowns: Crowns,
    known: Mapping[int, Beat],
    final: int,
    rules: EventRules = RULES,
) -> tuple[list[Occurrence], dict[int, Beat]]:
    """The events of some hours' scores, in order, and the last heartbeat of each registration.

    ``known`` are the last heartbeats before. The first score of a registration without one is no event.
    """
    events: list[Occurrence] = []
    beats: dict[int, Beat] = {}
    for one in scored:
        crowned = crowns.since(one.token, one.ended_at, final)
        if crowned is None or _coverage(one.inputs) < rules.least_coverage:
            continue
        before = beats.get(crowned.token_id, known.get(crowned.token_id))
        in_grace = one.ended_at - crowned.minted_at < int(rules.grace.total_seconds())
        after = judge(before, one.score, _as_if_observed(one), in_grace, rules)
        beats[crowned.token_id] = after
        if before is not None:
            events += _events(chain, crowned, before, after, one, rules)
    return events, beats


def judge(before: Beat | None, served: Decimal, observed: Decimal, in_grace: bool, rules: EventRules = RULES) -> Beat:
    """The heartbeat after a score. ``observed`` is the score if the whole day had been observed: it decides what got
    worse; ``served`` decides what got better."""
    value = observed
    if before is not None:
        value = served if served >= before.score else min(observed, before.score)
    level = before.level if before is not None else _WELL if value >= rules.warning_score else _WARNING
    if value >= rules.healthy_score:
        level = _WELL
    elif value < rules.critical_score:
        level = _CRITICAL
    elif level == _WELL and value < rules.warning_score:
        level = _WARNING
    elif level == _CRITICAL and value >= rules.warning_score:
        level = _WARNING  # not healthy yet, but the next fall to the critical level is an event again
    return Beat(level, heartbeat_status(value, in_grace=in_grace), value)


def days_to_inactive(inputs: Inputs, version: int, rules: EventRules = RULES) -> int:
    """Whole days until the score falls below the threshold of inactivity if nothing happens from now on: trades and
    transfers count for one more day, and holders stay."""
    for hours in range(_FURTHEST_HOURS):
        if score(_later(inputs, hours), version).score < rules.inactive_score:
            return hours // 24
    return _FURTHEST_HOURS // 24


def _later(inputs: Inputs, hours: int) -> Inputs:
    idle = None if inputs.idle_seconds is None else inputs.idle_seconds + hours * _HOUR_SECONDS
    later = replace(inputs, idle_seconds=idle)
    if hours < 24:
        return later
    none = None if inputs.volume_24h_usd is None else "0"
    return replace(later, volume_24h_usd=none, transfers_24h=0)


def _as_if_observed(one: Scored) -> Decimal:
    return score(replace(one.inputs, observed_seconds=one.inputs.window_seconds), one.version).score


def _coverage(inputs: Inputs) -> Decimal:
    if inputs.window_seconds <= 0:
        return Decimal(1)
    return Decimal(inputs.observed_seconds) / inputs.window_seconds


def _events(
    chain: Chain, crowned: Crown, before: Beat, after: Beat, one: Scored, rules: EventRules
) -> Iterable[Occurrence]:
    about = registration(chain, crowned.token_id, crowned.symbol)

    def occurrence(event: RegistrationEvent) -> Occurrence:
        return of_registration(event, about, one.ended_at, hour=one.ended_at)

    if before.level == _WELL and after.level != _WELL:
        yield occurrence(HeartbeatWarning(**about.members, score=one.score, threshold=rules.warning_score))
    if before.level != _CRITICAL and after.level == _CRITICAL:
        days = days_to_inactive(one.inputs, one.version, rules)
        yield occurrence(HeartbeatCritical(**about.members, score=one.score, days_to_inactive=days))
    if before.level != _WELL and after.level == _WELL:
        yield occurrence(HeartbeatRecovered(**about.members, score=one.score, previous_score=before.score))
    if before.status != after.status:
        yield _change(chain, crowned, before.status, after.status, one.score, one.ended_at)


def _change(chain: Chain, crowned: Crown, before: str, after: str, value: Decimal, moment: int) -> Occurrence:
    about = registration(chain, crowned.token_id, crowned.symbol)
    event = HeartbeatChanged(
        **about.members, previous_status=before, new_status=after, current_score=value, timestamp=iso(moment)
    )
    return of_registration(event, about, moment, hour=moment)


def _leave_grace(
    chain: Chain,
    tokens: Iterable[str],
    crowns: Crowns,
    known: Mapping[int, Beat],
    until: int,
    final: int,
    rules: EventRules = RULES,
) -> tuple[list[Occurrence], dict[int, Beat]]:
    """Registrations whose grace period ended without a new score."""
    events: list[Occurrence] = []
    beats: dict[int, Beat] = {}
    for token in sorted(tokens):
        crowned = crowns.since(token, until, final)
        beat = known.get(crowned.token_id) if crowned is not None else None
        if crowned is None or beat is None or beat.status != "grace_period":
            continue
        if until - crowned.minted_at < int(rules.grace.total_seconds()):
            continue
        after = replace(beat, status=heartbeat_status(beat.score, in_grace=False))
        beats[crowned.token_id] = after
        events.append(_change(chain, crowned, beat.status, after.status, beat.score, until))
    return events, beats
