"""Any order of moves by anybody, also at the same instant, over the real store: what the timeline tells is what the
table permits, and nothing else was written. ``make machines`` tries many more."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar
from uuid import UUID, uuid4

import pytest
from eth_account.messages import encode_typed_data
from eth_account.signers.local import LocalAccount
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from api.deals import states
from api.deals.currencies import Currency
from api.deals.errors import DealConflict, DealInvalidState, NotAParty, WalletNotOnSession
from api.deals.offers import Offer
from api.deals.repository import DealRecord
from api.deals.service import Deals, deals_of
from api.deals.settling import registry_of
from api.deals.states import DealType, Move, Role, State
from api.deals.telling import told_roles
from api.security.callers import WalletSession
from api.services import Services
from api.settings import ApiSettings
from indexer.contracts.statements import SettlementConsent
from tests.factories.registrations import BASE, add_registration, address
from tests.fixtures.clocks import ManualClock
from tests.fixtures.deals import CHAINS, USDT
from tests.fixtures.sign_in import new_wallet
from warehouse.engines import EngineUrls
from warehouse.postgres import Connection

USDC = address(0x05DC)
TERMS: dict[DealType, dict[str, Any]] = {
    DealType.BUYOUT: {},
    DealType.PROJECT_SALE: {},
    DealType.MERGE: {"swapWindow": 60},
    DealType.COLLAB: {"proposedSymbol": "BOTH"},
}
TABLES = "deal_attestation, deal_event, deal_funds_check, deal, deal_group, registration, event_log"
REFUSALS = (DealConflict, DealInvalidState, NotAParty, WalletNotOnSession)
ACTORS = ("first", "second", "holder", "other_holder", "stranger")
PARTY_MOVES = (Move.ACCEPT, Move.REJECT, Move.CANCEL, Move.CONSENT)
ATTEMPTS = st.tuples(st.sampled_from(ACTORS), st.sampled_from(PARTY_MOVES), st.integers(0, 3))


class DealMachine(RuleBasedStateMachine):
    """Two offers of two wallets on one registration, and a group of two: one of it on the same registration. Each rule
    is what a party, a stranger, an operator, the clock or the chain may attempt at any time."""

    services: ClassVar[Services]
    runner: ClassVar[asyncio.Runner]
    store: ClassVar[Connection]
    clock: ClassVar[ManualClock]
    wallets: ClassVar[dict[str, LocalAccount]]
    sessions: ClassVar[dict[str, WalletSession]]

    @property
    def deals(self) -> Deals:
        return deals_of(self.services)

    def run(self, work: Any) -> Any:
        return self.runner.run(work)

    @initialize(kinds=st.tuples(*[st.sampled_from(DealType)] * 4))
    def offer(self, kinds: tuple[DealType, ...]) -> None:
        self.store.execute(f"TRUNCATE {TABLES} CASCADE")
        for number, (symbol, actor) in enumerate((("ONE", "holder"), ("TWO", "other_holder")), 1):
            add_registration(self.store, symbol, token_id=number, owner=self.sessions[actor].wallet)
        self.released: set[int] = set()
        self.made = 0
        one, two, *group = kinds
        self.ids = self.offered("first", [("ONE", one)]) + self.offered("second", [("ONE", two)])
        self.ids += self.offered("first", [("ONE", group[0]), ("TWO", group[1])])

    def offered(self, actor: str, wanted: list[tuple[str, DealType]]) -> list[UUID]:
        session, chain = self.sessions[actor], self.services.chains.by_id(BASE)
        assert chain is not None
        self.store.execute(
            "INSERT INTO deal_funds_check (account_id, wallet, chain_id, currency_address, amount_raw, required_raw,"
            " balance_raw, funded_percent, verified, block_number, signature, checked_at)"
            " VALUES (%s, %s, %s, %s, 10^15, 1, 1, 100, true, 1, '0x', %s)",
            (session.account_id, session.wallet, BASE, USDC, self.clock.now()),
        )
        paid = {DealType.BUYOUT, DealType.PROJECT_SALE}
        offers = [
            Offer(
                kind=kind, chain=chain, symbol=symbol, token=None, offerer=session.wallet,
                amount=Decimal(25_000) if kind in paid else None,
                currency=Currency("USDC", USDC, 6, Decimal(1)) if kind in paid else None,
                commitment=Decimal(25_000) if kind in paid else None,
                field="agreed_amount", terms=TERMS[kind], message=None, window_days=30,
            )
            for symbol, kind in wanted
        ]  # fmt: skip
        ids, _ = self.run(self.deals.offers.make(session, offers))
        self.made += len(ids)
        return list(ids)

    async def attempt(self, actor: str, move: Move, number: int) -> int:
        """A move of a party; whether it was made. What is not permitted is refused by name."""
        session, id, answers = self.sessions[actor], self.ids[number], self.deals.answers
        calls: dict[Move, Callable[[], Any]] = {
            Move.ACCEPT: lambda: answers.accept(session, id, None, None),
            Move.REJECT: lambda: answers.reject(session, id, None, None),
            Move.CANCEL: lambda: answers.cancel(session, id, None, self.deals.opening.require_unopened),
            Move.CONSENT: lambda: self.consent(actor, id),
        }
        try:
            await calls[move]()
        except REFUSALS:
            return 0
        assert actor != "stranger"
        return 1

    async def consent(self, actor: str, id: UUID) -> None:
        session, settling = self.sessions[actor], self.deals.settling
        statement = await settling.consent_to_sign(session, id)
        assert isinstance(statement, SettlementConsent)
        document = statement.typed_data(BASE, registry_of(self.services.chains, BASE))
        signature = self.wallets[actor].sign_message(encode_typed_data(full_message=document)).signature
        await settling.consent(
            session, id, nonce=statement.nonce, deadline=statement.deadline, signature=signature.to_0x_hex()
        )

    def race(self, attempts: Sequence[tuple[str, Move, int]], clock: bool) -> None:
        """Attempts at the same instant, each on a connection of its own."""

        async def race() -> int:
            made = [self.attempt(*one) for one in attempts]
            ticks = [self.deals.answers.run_clock()] if clock else []
            found = await asyncio.gather(*made, *ticks)
            return sum(found[: len(made)])

        self.made += self.run(race())

    @rule(one=ATTEMPTS)
    def alone(self, one: tuple[str, Move, int]) -> None:
        self.made += self.run(self.attempt(*one))

    @rule(attempts=st.lists(ATTEMPTS, min_size=2, max_size=3), clock=st.booleans())
    def at_once(self, attempts: list[tuple[str, Move, int]], clock: bool) -> None:
        self.race(attempts, clock)

    @rule(number=st.integers(0, 3), accepting=st.sampled_from([Move.CANCEL, Move.REJECT, Move.ACCEPT]))
    def holder_and_offerer_at_once(self, number: int, accepting: Move) -> None:
        """The races that matter most, likelier than by chance."""
        holder = "other_holder" if number == 3 else "holder"
        offerer = "second" if number == 1 else "first"
        other = (holder, accepting, number) if accepting is Move.REJECT else (offerer, Move.CANCEL, number)
        second = (holder, Move.ACCEPT, 1 - number % 2) if accepting is Move.ACCEPT else other
        self.race([(holder, Move.ACCEPT, number), second], clock=True)

    @rule(days=st.sampled_from([0, 1, 8, 15, 31, 61]))
    def time_passes(self, days: int) -> None:
        self.clock.advance(days=days, seconds=1)
        self.run(self.deals.answers.run_clock())

    @rule(number=st.integers(0, 3), resume=st.booleans())
    def operator(self, number: int, resume: bool) -> None:
        with suppress(DealInvalidState):
            self.run(self.deals.answers.pause(self.ids[number], resume=resume))

    @rule(number=st.integers(0, 3), move=st.sampled_from([Move.DISPATCH, Move.RETURN, Move.SETTLE, Move.FAIL]))
    def chain(self, number: int, move: Move) -> None:
        """What follows what a node shows."""

        async def make() -> None:
            deal = await self.deals.answers.find(self.ids[number])
            now, moves = self.clock.now(), self.deals.answers.moves
            if move is Move.DISPATCH:
                await moves.dispatch(deal, now, now + timedelta(minutes=2), {"to": "0x", "data": "0x", "value": "0"})
                return
            async with self.services.store.transaction() as transaction:
                await moves.make(transaction, deal, move, Role.CHAIN, now)

        if move is Move.FAIL and self.record(number).stage != "settling":
            return  # otherwise the worker finds those whose registration ended
        with suppress(DealInvalidState):
            self.run(make())

    @rule(number=st.sampled_from([1, 2]))
    def the_registration_ends(self, number: int) -> None:
        self.store.execute(
            "UPDATE registration SET released_at = %s WHERE token_id = %s AND released_at IS NULL",
            (self.clock.now(), number),
        )
        self.clock.advance(minutes=61)
        self.run(self.deals.answers.run_clock())

    def record(self, number: int) -> DealRecord:
        found: DealRecord = self.run(self.deals.answers.find(self.ids[number]))
        return found

    @invariant()
    def each_move_is_one_of_the_table_with_its_event_and_attestation(self) -> None:
        expected: Counter[tuple[str, UUID]] = Counter()
        by_parties = 0
        for number, id in enumerate(getattr(self, "ids", [])):
            deal = self.record(number)
            timeline = self.run(self.deals.repository.events(id))
            state: State | None = None
            attested = []
            for event in timeline:
                made = states.find(Move(event.event_type), state, deal.kind, member=deal.group_id is not None)
                assert made is not None, f"{event.event_type} from {state}"
                roles = {deal.offerer: Role.OFFERER, self.holder_of(deal).wallet: Role.HOLDER}
                assert made.by & ({roles[event.actor]} if event.actor in roles else set(Role) - states.PARTIES)
                state = made.after
                attested += [(event.event_type, event.actor)] if made.attested else []
                by_parties += made.attested
                if made.event is not None:
                    accounts = {self.account(role, deal) for role in told_roles(made.event)}
                    expected.update((made.event.type, account) for account in accounts)
            assert state == deal.state, f"the timeline leads to {state}, the deal is {deal.state}"
            found = self.run(self.deals.repository.attestations(id))
            assert [(one.move, one.actor) for one in found] == attested
        rows = self.store.execute("SELECT type, account_id FROM event_log WHERE type LIKE 'deal.%'").fetchall()
        assert Counter((row["type"], row["account_id"]) for row in rows) == expected
        assert by_parties == getattr(self, "made", 0), "a request succeeded without its move, or the other way round"

    def holder_of(self, deal: DealRecord) -> WalletSession:
        return self.sessions["holder" if deal.token_id == 1 else "other_holder"]

    def account(self, role: Role, deal: DealRecord) -> UUID:
        return deal.offerer_account if role is Role.OFFERER else self.holder_of(deal).account_id

    @invariant()
    def a_registration_has_one_accepted_deal(self) -> None:
        if not getattr(self, "ids", []):
            return
        deals = [self.record(number) for number in range(4)]
        locking = Counter(deal.token_id for deal in deals if deal.status in states.LOCKING)
        assert all(count == 1 for count in locking.values())
        group = [deal for deal in deals if deal.group_id is not None]
        before = [deal.state in (states.OFFERED, states.MEMBER_ACCEPTED) for deal in group]
        assert all(before) or not any(before), "a group takes effect, or ends, as one"


@pytest.fixture
def machine(engines: EngineUrls, store_url: str, store: Connection, data_dir: Path, tmp_path: Path) -> Iterator[None]:
    """Services on the test's own store; no chain answers."""
    path = tmp_path / "chains.toml"
    path.write_text(CHAINS.format(url="http://127.0.0.1:1", usdc=USDC, usdt=USDT))
    given = ApiSettings(data_dir=data_dir, clickhouse_url=engines.clickhouse_url, database_url=store_url, chains=path)
    DealMachine.clock, DealMachine.store = ManualClock(), store
    DealMachine.wallets = {name: new_wallet() for name in ACTORS}
    DealMachine.sessions = {}
    for name, wallet in DealMachine.wallets.items():
        held = wallet.address.lower()
        row = store.execute("INSERT INTO account (wallet, plan) VALUES (%s, 'free') RETURNING id", (held,)).fetchone()
        assert row is not None
        DealMachine.sessions[name] = WalletSession(
            uuid4(), row["id"], (held,), {}, frozenset({"api:write"}), "free", DealMachine.clock.now()
        )
    with asyncio.Runner() as runner:
        DealMachine.services, DealMachine.runner = Services.of(given, clock=DealMachine.clock), runner
        yield
        runner.run(DealMachine.services.aclose())


@pytest.mark.slow
def test_no_order_of_moves_leaves_the_table(machine: None) -> None:
    run_state_machine_as_test(
        DealMachine,
        settings=settings(
            max_examples=settings.default.max_examples // 20,
            stateful_step_count=12,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
