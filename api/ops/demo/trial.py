"""Runs what the guide suggests, as a client would: the reads, the claims and their effects, an alert, a message to
holders, and a deal."""

import os
import shlex
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx

from api.ops.demo import guide
from api.ops.demo.guide import RunningDemo

PATIENCE_SECONDS = 60.0
COMMAND_SECONDS = 180.0


class TrialFailed(RuntimeError):
    """A suggested command did not do what it should."""


def run(demo: RunningDemo, on_alert: Callable[[], object]) -> list[str]:
    """Run everything the guide suggests, in order, with a line on each.

    Args:
        demo: what was suggested.
        on_alert: called once alert rules were evaluated. Before, nothing else may evaluate them: a new rule is judged
            at the newest quarter of an hour only, and not if another evaluation was there first.

    Raises:
        TrialFailed: one of them failed; the message says which and how.
    """
    done = []
    with httpx.Client(base_url=demo.api_url, timeout=30) as client, ThreadPoolExecutor() as beside:
        alert = beside.submit(_alert, demo, on_alert)
        for what, path in guide.reads(demo):
            body = _get(client, demo, path)
            done.append(f"{what}: {_summary(body)}")
        done += _finished(_start(guide.claim_command(demo)))
        done.append(_await_crown(client, demo, demo.symbol, demo.chain_key, demo.token))
        if demo.solana:
            done += _finished(_start(guide.solana_claim_command(demo, demo.solana)))
            done.append(_await_crown(client, demo, demo.solana.symbol, "solana", demo.solana.mint))
        done += alert.result()
        done += _finished(_start(guide.broadcast_command(demo)))
        done += _finished(_start(guide.deal_command(demo)))
    return done


def _alert(demo: RunningDemo, on_alert: Callable[[], object]) -> list[str]:
    """Create the rule, and evaluate it once it is there."""
    try:
        watching = _start(guide.alert_command(demo))
        assert watching.stdout is not None  # noqa: S101 - a pipe
        created = watching.stdout.readline()
        evaluated = _finished(_start(guide.evaluation_command(demo))) if created else []
        return [created.strip(), *evaluated, *_finished(watching)]
    finally:
        on_alert()


def _start(command: list[str]) -> subprocess.Popen[str]:
    # As in a reader's shell: the scripts import modules that lie beside them, which is off in processes of the service.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def _finished(process: subprocess.Popen[str]) -> list[str]:
    """The lines that a command printed, once it has ended."""
    assert isinstance(process.args, list)  # noqa: S101 - as it was started
    command = shlex.join(map(str, process.args))
    try:
        printed, complaint = process.communicate(timeout=COMMAND_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise TrialFailed(f"{command} did not end in {COMMAND_SECONDS:.0f} s") from None
    if process.returncode:
        said = complaint.strip() or printed.strip()
        raise TrialFailed(f"{command} ended with {process.returncode}: {said}")
    return printed.strip().splitlines()


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
