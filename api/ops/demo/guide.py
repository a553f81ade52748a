"""What the demo prints when it is ready: addresses, and commands to copy."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ENVIRONMENT = "demo.env"
"""The file in the data directory that a shell reads to follow the pages of the documentation."""
_EXAMPLES = Path(__file__).resolve().parents[3] / "docs" / "examples"
CLAIM_SCRIPT = _EXAMPLES / "claim.py"
SOLANA_CLAIM_SCRIPT = _EXAMPLES / "claim_solana.mjs"
ALERT_SCRIPT = _EXAMPLES / "alert.py"
BROADCAST_SCRIPT = _EXAMPLES / "broadcast.py"
DEAL_SCRIPT = _EXAMPLES / "deal.py"
OFFER_USDC = 500_000
"""More than a percent of what the token is worth, which is the least that may be offered."""
ALERT_RULE = ("volume_anomaly", "gt", "1000")
"""A rule that the trade of any day breaches."""


@dataclass(frozen=True, slots=True)
class SolanaPlace:
    """The demo's Solana node, and a wallet there with a token to claim; ``node`` is Node.js."""

    rpc_url: str
    ws_url: str
    chain_id: int
    symbol: str
    mint: str
    registry: str
    wallet: str
    secret_key: str
    node: str


@dataclass(frozen=True, slots=True)
class RunningDemo:
    """A running demo: its addresses, its API key, and a wallet of its chain with a token to claim."""

    api_url: str
    dagster_url: str | None
    rpc_url: str
    chain_key: str
    chain_id: int
    api_key: str
    symbol: str
    token: str
    wallet: str
    private_key: str
    offerer: str
    offerer_private_key: str
    python: str
    solana: SolanaPlace | None = None

    @classmethod
    def read(cls, described: Mapping[str, Any]) -> "RunningDemo":
        """The demo that ``demo.json`` describes."""
        solana = described["solana"]
        return cls(**{**described, "solana": solana and SolanaPlace(**solana)})


def reads(demo: RunningDemo) -> list[tuple[str, str]]:
    """The suggested requests: what each shows, and its path."""
    found = [
        ("search", f"/api/v2/search?symbol={demo.symbol}&sort=relevance"),
        ("one token", f"/api/v2/token/{demo.symbol}/{demo.chain_key}"),
        ("its heartbeat", f"/api/v2/heartbeat/{demo.symbol}/{demo.chain_key}"),
        ("what a wallet can claim", "/api/v2/registration/claimable"),
    ]
    if demo.solana:
        found.insert(3, ("a token on Solana", f"/api/v2/token/{demo.solana.symbol}/solana"))
    return found


def claim_command(demo: RunningDemo) -> list[str]:
    """The claim of the demo's token by the wallet that deployed it."""
    return [
        demo.python,
        str(CLAIM_SCRIPT),
        *("--api", demo.api_url, "--api-key", demo.api_key),
        *("--rpc", demo.rpc_url, "--chain", demo.chain_key, "--chain-id", str(demo.chain_id)),
        *("--symbol", demo.symbol, "--token", demo.token, "--private-key", demo.private_key),
    ]


def solana_claim_command(demo: RunningDemo, place: SolanaPlace) -> list[str]:
    """The claim of the Solana token by the wallet that created it."""
    return [
        place.node,
        str(SOLANA_CLAIM_SCRIPT),
        *("--api", demo.api_url, "--api-key", demo.api_key, "--rpc", place.rpc_url),
        *(
            "--registry",
            place.registry,
            "--symbol",
            place.symbol,
            "--mint",
            place.mint,
            "--secret-key",
            place.secret_key,
        ),
    ]


def alert_command(demo: RunningDemo) -> list[str]:
    """A rule on the demo's token, and the alert that it raises once rules are evaluated."""
    type, operator, threshold = ALERT_RULE
    return [
        demo.python,
        str(ALERT_SCRIPT),
        *("--api", demo.api_url, "--chain-id", str(demo.chain_id), "--token", demo.token),
        *("--type", type, "--operator", operator, "--threshold", threshold, "--private-key", demo.private_key),
    ]


def evaluation_command(demo: RunningDemo) -> list[str]:
    """The evaluation of all alert rules, which Dagster starts every quarter of an hour."""
    return [demo.python, "-m", "pipelines", "alerts"]


def broadcast_command(demo: RunningDemo) -> list[str]:
    """A message of the registration's owner to two holders who subscribe to it, the owner being one."""
    return [
        demo.python,
        str(BROADCAST_SCRIPT),
        *("--api", demo.api_url, "--api-key", demo.api_key, "--chain", demo.chain_key, "--symbol", demo.symbol),
        *("--owner-key", demo.private_key),
        *("--holder-key", demo.private_key, "--holder-key", demo.offerer_private_key),
    ]


def deal_command(demo: RunningDemo) -> list[str]:
    """The offer of another wallet on the registration, and the deal until it is complete."""
    return [
        demo.python,
        str(DEAL_SCRIPT),
        *("--api", demo.api_url, "--api-key", demo.api_key),
        *("--rpc", demo.rpc_url, "--chain", demo.chain_key, "--chain-id", str(demo.chain_id)),
        *("--symbol", demo.symbol, "--amount", str(OFFER_USDC), "--currency", "USDC"),
        *("--offerer-key", demo.offerer_private_key, "--holder-key", demo.private_key),
    ]


def commands(demo: RunningDemo) -> list[tuple[str, list[str]]]:
    """The suggested commands in their order: what each does, and its words."""
    found = [(f"claim {demo.symbol} with the wallet that deployed it", claim_command(demo))]
    if demo.solana:
        what = f"claim {demo.solana.symbol} on Solana with the wallet that deployed it"
        found.append((what, solana_claim_command(demo, demo.solana)))
    return [
        *found,
        (f"watch {demo.symbol}: the rule is evaluated at the next quarter of an hour", alert_command(demo)),
        (f"send a message to holders of {demo.symbol}, as its owner", broadcast_command(demo)),
        (f"sell the registration of {demo.symbol} to another wallet", deal_command(demo)),
    ]


def environment(demo: RunningDemo, home: Path) -> str:
    """What a shell reads to follow the pages of the documentation on the demo."""
    variables = {
        "API": f"{demo.api_url}/api/v2",
        "KEY": demo.api_key,
        "NODE": demo.rpc_url,
        "CHAIN": demo.chain_key,
        "CHAIN_ID": str(demo.chain_id),
        "SYMBOL": demo.symbol,
        "TOKEN": demo.token,
        "WALLET": demo.wallet,
        "PRIVATE_KEY": demo.private_key,
        "OFFERER": demo.offerer,
        "OFFERER_PRIVATE_KEY": demo.offerer_private_key,
        "REGALIA_DATA_DIR": str(home),
        "REGALIA_CHAINS": str(home / "chains.toml"),
    }
    if demo.solana:
        variables |= {
            "SOLANA_NODE": demo.solana.rpc_url,
            "SOLANA_SYMBOL": demo.solana.symbol,
            "SOLANA_MINT": demo.solana.mint,
            "SOLANA_REGISTRY": demo.solana.registry,
            "SOLANA_WALLET": demo.solana.wallet,
            "SOLANA_SECRET_KEY": demo.solana.secret_key,
        }
    lines = [f"export {name}={shlex.quote(value)}" for name, value in variables.items()]
    commands = shlex.quote(str(Path(demo.python).parent))
    return "\n".join(["# Read it with a dot: . demo.env", *lines, f"export PATH={commands}:$PATH"])


def headers(demo: RunningDemo, path: str) -> dict[str, str]:
    """The headers that a request to this path needs."""
    found = {"X-API-Key": demo.api_key}
    if path.endswith("/claimable"):
        found["X-Wallet-Address"] = demo.wallet
    return found


def text(demo: RunningDemo) -> str:
    """The whole guide."""
    lines = [
        f"  API          {demo.api_url}",
        f"  OpenAPI      {demo.api_url}/openapi.json",
        *([f"  Dagster      {demo.dagster_url} (starts now, which takes a moment)"] if demo.dagster_url else []),
        f"  chain        {demo.rpc_url} (chain id {demo.chain_id}, posing as {demo.chain_key})",
        *([f"  Solana       {demo.solana.rpc_url} (subscriptions: {demo.solana.ws_url})"] if demo.solana else []),
        f"  API key      {demo.api_key}",
        "",
        "Try:",
        "",
    ]
    for what, path in reads(demo):
        carried = " ".join(f"-H {shlex.quote(f'{name}: {value}')}" for name, value in headers(demo, path).items())
        lines += [f"  # {what}", f"  curl -s {carried} {shlex.quote(demo.api_url + path)}", ""]
    for what, words in commands(demo):
        command = " ".join(f"\\\n      {word}" if word.startswith("--") else word for word in map(shlex.quote, words))
        lines += [f"  # {what}", f"  {command}", ""]
    lines += [
        "docs/claim.md, alerts.md, broadcasts.md and deals.md walk through them step by step;",
        f"{ENVIRONMENT} in the data directory has their variables.",
        "Ctrl-C stops everything.",
    ]
    return "\n".join(lines)
