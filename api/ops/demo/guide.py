"""What the demo prints when it is ready: addresses, and commands to copy."""

import shlex
from dataclasses import dataclass
from pathlib import Path

CLAIM_SCRIPT = Path(__file__).resolve().parents[3] / "docs" / "examples" / "claim.py"


@dataclass(frozen=True, slots=True)
class Place:
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
    python: str


def reads(place: Place) -> list[tuple[str, str]]:
    """The suggested requests: what each shows, and its path."""
    return [
        ("search", f"/api/v2/search?symbol={place.symbol}&sort=relevance"),
        ("one token", f"/api/v2/token/{place.symbol}/{place.chain_key}"),
        ("its heartbeat", f"/api/v2/heartbeat/{place.symbol}/{place.chain_key}"),
        ("what a wallet can claim", "/api/v2/registration/claimable"),
    ]


def claim_command(place: Place) -> list[str]:
    """The claim of the place's token by the wallet that deployed it."""
    return [
        place.python,
        str(CLAIM_SCRIPT),
        *("--api", place.api_url, "--api-key", place.api_key),
        *("--rpc", place.rpc_url, "--chain", place.chain_key, "--chain-id", str(place.chain_id)),
        *("--symbol", place.symbol, "--token", place.token, "--private-key", place.private_key),
    ]


def headers(place: Place, path: str) -> dict[str, str]:
    """The headers that a request to this path needs."""
    found = {"X-API-Key": place.api_key}
    if path.endswith("/claimable"):
        found["X-Wallet-Address"] = place.wallet
    return found


def text(place: Place) -> str:
    """The whole guide."""
    lines = [
        f"  API          {place.api_url}",
        f"  OpenAPI      {place.api_url}/openapi.json",
        *([f"  Dagster      {place.dagster_url}"] if place.dagster_url else []),
        f"  chain        {place.rpc_url} (chain id {place.chain_id}, posing as {place.chain_key})",
        f"  API key      {place.api_key}",
        "",
        "Try:",
        "",
    ]
    for what, path in reads(place):
        carried = " ".join(f"-H {shlex.quote(f'{name}: {value}')}" for name, value in headers(place, path).items())
        lines += [f"  # {what}", f"  curl -s {carried} {shlex.quote(place.api_url + path)}", ""]
    command = " ".join(
        f"\\\n      {word}" if word.startswith("--") else word for word in map(shlex.quote, claim_command(place))
    )
    lines += [
        f"  # claim {place.symbol} with the wallet that deployed it",
        f"  {command}",
        "",
        "docs/claim.md walks through the claim step by step. Ctrl-C stops everything.",
    ]
    return "\n".join(lines)
