"""Runs what the guide suggests, as a client would: the reads, the claim, and its effects."""

import subprocess
import time
from typing import Any

import httpx

from api.ops.demo import guide
from api.ops.demo.guide import RunningDemo

PATIENCE_SECONDS = 60.0


class TrialFailed(RuntimeError):
    """A suggested command did not do what it should."""


def run(demo: RunningDemo) -> list[str]:
    """Run everything the guide suggests, in order, with a line on each.

    Raises:
        TrialFailed: one of them failed; the message says which and how.
    """
    done = []
    with httpx.Client(base_url=demo.api_url, timeout=30) as client:
        for what, path in guide.reads(demo):
            body = _get(client, demo, path)
            done.append(f"{what}: {_summary(body)}")
        done += _claim(guide.claim_command(demo))
        done.append(_await_crown(client, demo, demo.symbol, demo.chain_key, demo.token))
        if demo.solana:
            done += _claim(guide.solana_claim_command(demo, demo.solana))
            done.append(_await_crown(client, demo, demo.solana.symbol, "solana", demo.solana.mint))
    return done


def _claim(command: list[str]) -> list[str]:
    claim = subprocess.run(command, capture_output=True, text=True, check=False, timeout=180)
    if claim.returncode:
        raise TrialFailed(f"the claim ended with {claim.returncode}: {claim.stderr.strip() or claim.stdout.strip()}")
    return claim.stdout.strip().splitlines()


def _get(client: httpx.Client, demo: RunningDemo, path: str) -> dict[str, Any]:
    response = client.get(path, headers=guide.headers(demo, path))
    if response.is_error:
        raise TrialFailed(f"GET {path}: {response.status_code} {response.text[:300]}")
    body: dict[str, Any] = response.json()
    return body


def _summary(body: dict[str, Any]) -> str:
    if "results" in body:
        return f"{body['pagination']['total']} results"
    if "tokens" in body:
        return f"{body['total']} tokens"
    if "score" in body:
        return f"score {body['score']}, {body['status']}"
    return f"{body.get('token', {}).get('holders')} holders"


def _await_crown(client: httpx.Client, demo: RunningDemo, symbol: str, chain: str, token: str) -> str:
    """Search shows the registration once its block is indexed and published."""
    path = f"/api/v2/search?symbol={symbol}&chain={chain}&exact=true&refresh=true"
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        results = _get(client, demo, path)["results"]
        if any(one["hasCrown"] and one["token"]["address"].lower() == token.lower() for one in results):
            return f"search shows the registration of {symbol} on {chain}"
        time.sleep(0.5)
    raise TrialFailed(f"search does not show the registration after {PATIENCE_SECONDS:.0f} s")
