"""One run: the plan is carried out, then everybody claims, and what was registered is counted."""

import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from api.accounts.service import Accounts
from api.app import create_app
from api.settings import ApiSettings
from indexer.contracts import signer as signers
from indexer.devchain.anvil import Anvil
from indexer.run import IndexContext, advance
from pipelines.refresh import refresh
from tests.attacks.claiming import Claims
from tests.attacks.field import GENESIS_SECONDS, Deployed, Field
from tests.attacks.plan import HOURS, Attack, Kind, Plan
from tests.fixtures.service import LIMITS
from warehouse import postgres
from warehouse.chains import facts
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain, Chains
from warehouse.engines import EngineUrls
from warehouse.postgres import Connection

_LOOKS = 4
"""How often the verdicts are looked at while the history grows."""
_KEY_HOLDER = "0x00000000000000000000000000000000000a77ac"

Report = Callable[[float, str], None]
"""Called with the share that is done and what is being done."""


@dataclass(slots=True)
class Outcome:
    """What happened. ``answers`` counts the service's answers to the attackers by kind of attack."""

    plan: Plan
    answers: dict[Kind, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    registered_copies: list[str] = field(default_factory=list)
    refused_originals: list[str] = field(default_factory=list)
    blocked_namesakes: list[str] = field(default_factory=list)
    original_answers: Counter[str] = field(default_factory=Counter)
    namesake_answers: Counter[str] = field(default_factory=Counter)

    @property
    def passed(self) -> bool:
        """Whether no copy was registered, and nobody else was kept from it."""
        return not (self.registered_copies or self.refused_originals or self.blocked_namesakes)


@dataclass(frozen=True, slots=True)
class _Scene:
    field: Field
    chain: Chain
    warehouse: Warehouse
    store: Connection
    context: IndexContext
    outcome: Outcome

    def bring_up_to_date(self) -> None:
        """Index to the head and derive everything."""
        advance(self.context, self.chain)
        refresh(self.warehouse, self.store, Chains({self.chain.key: self.chain}))

    def look(self, when: str) -> None:
        """No original may be served as a copy, at any time."""
        rows = self.store.execute("SELECT address, copy_rule FROM indexed_token WHERE is_copy").fetchall()
        copies = {row["address"]: row["copy_rule"] for row in rows}
        for token in self.field.originals:
            if token.token in copies:
                self.outcome.refused_originals.append(f"{token.symbol} a copy ({copies[token.token]}) {when}")


async def run_attacks(plan: Plan, folder: Path, urls: EngineUrls, report: Report) -> Outcome:
    """Carry the plan out on a new chain, with empty stores at ``urls`` and files in ``folder``."""
    outcome = Outcome(plan)
    data_dir = folder / "data"
    data_dir.mkdir(mode=0o700, exist_ok=True)
    with (
        Anvil.start(state_roots=False, genesis_time=_genesis()) as node,
        Warehouse.connect(urls.clickhouse_url) as warehouse,
        postgres.connect(urls.database_url, autocommit=True) as store,
        closing(IndexContext(warehouse, urls.database_url)) as context,
    ):
        report(0.0, "deploying exchanges and the registry")
        chains_path = folder / "chains.toml"
        there = Field.prepare(node, plan, chains_path, signers.load_or_create(data_dir).address)
        chain = facts.load(chains_path).by_key["base"]
        scene = _Scene(there, chain, warehouse, store, context, outcome)
        for look in range(1, _LOOKS + 1):
            hour = HOURS * look // _LOOKS
            report(0.6 * look / _LOOKS, f"hour {hour} of {HOURS}")
            there.advance_to(hour)
            scene.bring_up_to_date()
            scene.look(f"in hour {hour}")
        there.go_live()
        scene.bring_up_to_date()
        async with _service(data_dir, chains_path, urls) as client:
            await _claim_all(scene, Claims(client, there), report)
    return outcome


async def _claim_all(scene: _Scene, claims: Claims, report: Report) -> None:
    plan, there, outcome = scene.field.plan, scene.field, scene.outcome
    total = len(plan.attacks) + len(plan.originals) + 2 * len(plan.namesakes)
    done = 0

    def tell(what: str) -> None:
        nonlocal done
        done += 1
        report(0.6 + 0.4 * done / total, what)

    early = [attack for attack in plan.attacks if not attack.claims_late]
    for attack in early:
        if attack.kind is Kind.LAG:
            there.deploy_late(attack)
        await _attack(claims, attack, outcome)
        tell(attack.kind)
    # The lagging clones made blocks of their own: verdicts must be recent again.
    scene.bring_up_to_date()
    for token in there.originals:
        answer = await claims.register(token)
        outcome.original_answers[answer.code] += 1
        if not answer.registered:
            outcome.refused_originals.append(f"{token.symbol}: {answer.code}")
        tell("original")
    for pair in there.namesakes:
        await _claim_namesakes(claims, pair, outcome)
        tell("namesake")
        tell("namesake")
    scene.bring_up_to_date()
    for attack in plan.attacks:
        if not attack.claims_late:
            continue
        if attack.kind is Kind.LAG:
            there.deploy_late(attack)
        if attack.kind is Kind.CHALLENGE:
            state = await claims.challenge(there.clones[attack.number], plan.originals[attack.original].symbol)
            outcome.answers[attack.kind][state] += 1
            if state in ("open", "upheld"):
                outcome.registered_copies.append(f"{_name(attack)}: its challenge was accepted")
        else:
            await _attack(claims, attack, outcome)
        tell(attack.kind)
    scene.bring_up_to_date()
    scene.look("at the end")


async def _attack(claims: Claims, attack: Attack, outcome: Outcome) -> None:
    clone = claims.field.clones[attack.number]
    if attack.kind is Kind.BOUGHT:
        # It is not registered: the original's own claim comes later.
        outcome.answers[attack.kind][(await claims.ask(clone)).code] += 1
        return
    answer = await claims.register(clone)
    outcome.answers[attack.kind][answer.code] += 1
    if answer.registered:
        outcome.registered_copies.append(_name(attack))


async def _claim_namesakes(claims: Claims, pair: tuple[Deployed, Deployed], outcome: Outcome) -> None:
    """Whoever claims first has the symbol: neither is a copy of the other."""
    for token in pair:
        asked = await claims.ask(token)
        if asked.code != "allowed":
            outcome.blocked_namesakes.append(f"{token.symbol}: {asked.code}")
    answer = await claims.register(pair[1])
    outcome.namesake_answers[answer.code] += 1
    if not answer.registered:
        outcome.blocked_namesakes.append(f"{pair[1].symbol}: {answer.code}")


def _name(attack: Attack) -> str:
    return f"attack {attack.number} ({attack.kind}) as {attack.symbol!r}"


def _genesis() -> int:
    return int(time.time()) - GENESIS_SECONDS - 3_600


@asynccontextmanager
async def _service(data_dir: Path, chains_path: Path, urls: EngineUrls) -> AsyncIterator[httpx.AsyncClient]:
    settings = ApiSettings(
        data_dir=data_dir,
        clickhouse_url=urls.clickhouse_url,
        database_url=urls.database_url,
        limits=LIMITS,
        chains=chains_path,
    )
    key = Accounts(urls.database_url).create_key(_KEY_HOLDER, "enterprise").key
    app = create_app(settings)
    transport = httpx.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(
            transport=transport, base_url="http://service.test/api/v2", headers={"X-API-Key": key}, timeout=60
        ) as client,
    ):
        yield client
