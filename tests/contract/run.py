"""One run of Schemathesis against a running service, and its results."""

import json
import os
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from api.ops.demo import guide
from api.ops.demo.guide import RunningDemo
from tests.contract import claims, configuration, records
from tests.contract.claims import BegunClaim
from tests.contract.configuration import Extent, Known
from tests.contract.credentials import Credentials, gather
from tests.contract.records import Records
from tests.fixtures.demo import running_demo
from tests.fixtures.text_server import serving_texts

_LIMITS = Path(__file__).with_name("limits.toml")
_ENDING = ("POST /api/v2/auth/logout", "DELETE /api/v2/auth/sessions")
OFFERING = tuple(
    f"POST /api/v2/deals/{route}"
    for route in (
        "offer",
        "group",
        "verify-funds",
        "{dealId}/settlement",
        "{dealId}/settlement/confirm",
        "{dealId}/vault",
    )
)
"""The operations of the wallet that makes offers; it has a session of its own."""
PHASES = ("examples", "coverage", "fuzzing", "stateful")


@dataclass(frozen=True, slots=True)
class Target:
    """A running service, its OpenAPI document, and credentials and values for a run."""

    place: RunningDemo
    document: dict[str, Any]
    credentials: Credentials
    known: list[Known]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The results of a run.

    Args:
        statuses: for each operation, how often it answered with each status.
    """

    passed: bool
    output: str
    cases: int
    phases: Mapping[str, str]
    statuses: Mapping[str, Counter[int]] = field(default_factory=dict)

    @property
    def unreached(self) -> list[str]:
        """The operations that never answered 2xx or 3xx."""
        return sorted(name for name, seen in self.statuses.items() if not any(200 <= one < 400 for one in seen))


@contextmanager
def prepared(folder: Path) -> Iterator[Target]:
    """A small demo with a registration, a second token with an unfinished claim, and a name server without any
    names."""
    data_dir = folder / "demo"
    with (
        serving_texts() as names,
        running_demo(
            data_dir,
            REGALIA_LIMITS=str(_LIMITS),
            REGALIA_DOMAIN_RESOLVERS="127.0.0.1",
            REGALIA_DOMAIN_RESOLVER_PORT=str(names.port),
        ) as place,
    ):
        done = subprocess.run(guide.claim_command(place), capture_output=True, text=True, timeout=600, check=False)
        assert done.returncode == 0, done.stderr + done.stdout
        transaction = next(line for line in done.stdout.splitlines() if line.startswith("sent ")).split()[1]
        document = httpx.get(f"{place.api_url}/openapi.json", timeout=30).json()
        credentials = gather(place, data_dir, ending(document), OFFERING)
        made = records.make(place, data_dir, credentials.api_key, credentials.session, credentials.passing[OFFERING[0]])
        known = [
            *known_values(place, transaction, _versions(place)),
            *known_of_claim(place, claims.begin(place)),
            *known_of_records(place, made),
        ]
        yield Target(place, document, credentials, known)


def run(target: Target, extent: Extent, folder: Path) -> Outcome:
    """Test every operation of the service's OpenAPI document."""
    config = configuration.write(folder, target.credentials, target.known, operations(target.document), extent)
    report, events = folder / "report.json", folder / "events.ndjson"
    command = [
        *(str(Path(sys.executable).with_name("st")), "--config-file", str(config)),
        *("run", f"{target.place.api_url}/openapi.json", "--report", "json,ndjson"),
        *(("--include-path-regex", extent.paths) if extent.paths else ()),
        *("--report-json-path", str(report), "--report-ndjson-path", str(events)),
    ]
    environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    limit = (extent.seconds or 0) + 900
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=limit, check=False
    )
    if not report.exists():
        return Outcome(passed=False, output=done.stdout + done.stderr, cases=0, phases={})
    summary = json.loads(report.read_text())
    return Outcome(
        passed=done.returncode == 0,
        output=done.stdout + done.stderr,
        cases=summary["test_cases"]["generated"],
        phases={name: found["status"] for name, found in summary["phases"].items()},
        statuses=_statuses(target.document, events),
    )


def known_values(place: RunningDemo, transaction: str, versions: list[str]) -> list[Known]:
    """Known values of the demo, by parameter."""
    return [
        Known("symbol", [place.symbol, place.symbol.lower()]),
        Known("path.chain", [place.chain_key, str(place.chain_id)]),
        Known("query.chain", [place.chain_key, str(place.chain_id)]),
        Known("chainId", [str(place.chain_id)]),
        Known("path.id", ["1", place.symbol], r"/registration/\{id\}"),
        Known("crownId", ["1"]),
        Known("path.domain", ["pepe.example"]),
        Known("body.domain", ["pepe.example"], r"/registration/\{id\}/domains"),
        Known("tokenAddress", [place.token]),
        Known("path.token", [place.token]),
        Known("path.wallet", [place.wallet]),
        Known("X-Wallet-Address", [place.wallet]),
        Known("txHash", [transaction]),
        Known("query.from", versions, "/tokenlist/diff"),
        Known("query.to", versions, "/tokenlist/diff"),
    ]


def known_of_claim(place: RunningDemo, begun: BegunClaim) -> list[Known]:
    """What leads through the claim that is begun."""
    found: dict[str, str | int] = {
        "symbol": begun.symbol,
        "chainId": place.chain_id,
        "tokenAddress": begun.token,
        "claimerAddress": begun.wallet,
        "walletAddress": begun.wallet,
        "signature": begun.signature,
        "timestamp": begun.timestamp,
        "proofHash": begun.proof_hash,
    }
    return [Known(f"body.{name}", [value], "^/api/v2/claim(/message|/verify)?$") for name, value in found.items()]


def known_of_records(place: RunningDemo, made: Records) -> list[Known]:
    """What leads to the deals, the alert and the broadcast of the demo's registration."""
    chain = f"eip155:{place.chain_id}"
    offer = records.offer_body(place)
    return [
        Known("dealId", made.deals),
        Known("groupId", [made.group]),
        Known("path.id", [made.rule], r"/alerts/rules/\{id\}"),
        Known("path.id", [made.alert], r"/alerts/\{id\}"),
        Known("path.id", ["1"], r"/broadcasts/\{id\}"),
        Known("broadcastId", [made.broadcast]),
        Known("chainId", [chain], "/alerts/"),
        Known("crownChain", [place.chain_key]),
        Known("body.wallet", [place.wallet], "/broadcasts/|/subscription$"),
        Known("body.walletAddress", [place.offerer], "/deals/verify-funds|/reverify-funds"),
        Known("body.wallet_address", [place.wallet], "/deals/"),
        Known("query.dealValue", [guide.OFFER_USDC * 10**6], "/deals/fee-preview"),
        Known("body.offerAmount", [guide.OFFER_USDC], "/deals/"),
        Known("body.currency", ["USDC"], "/deals/"),
        Known("body.chainId", [place.chain_id], "/deals/"),
        Known("body.nonce", [made.consent_nonce], "/deals/"),
        Known("body.deadline", [made.consent_deadline], "/deals/"),
        *(Known(f"body.{name}", [value], "/deals/offer$") for name, value in offer.items()),
    ]


def _versions(place: RunningDemo) -> list[str]:
    """The versions that the token list has had."""
    answer = httpx.get(f"{place.api_url}/api/v2/tokenlist/versions", headers={"X-API-Key": place.api_key}, timeout=30)
    found = [one["version"] for one in answer.json()["versions"]]
    return [f"{one['major']}.{one['minor']}.{one['patch']}" for one in found] or ["1.0.0"]


def ending(document: dict[str, Any]) -> list[str]:
    """The operations that end sessions: their own or others of the account."""
    return [name for name in operations(document) if name.startswith(_ENDING)]


def operations(document: dict[str, Any]) -> Iterator[str]:
    """Names of all operations, such as ``GET /api/v2/search``."""
    for path, methods in document["paths"].items():
        for method in methods:
            yield f"{method.upper()} {path}"


def _statuses(document: dict[str, Any], events: Path) -> dict[str, Counter[int]]:
    seen: dict[str, Counter[int]] = defaultdict(Counter, {name: Counter() for name in operations(document)})
    with events.open() as lines:
        for line in lines:
            recorder = json.loads(line).get("ScenarioFinished", {}).get("recorder", {})
            cases = recorder.get("cases", {})
            for case, interaction in recorder.get("interactions", {}).items():
                value, response = cases[case]["value"], interaction["response"]
                name = f"{value['method'].upper()} {value['path']}"
                if response is not None and name in seen:  # not the methods that no operation has
                    seen[name][response["status_code"]] += 1
    return dict(seen)
