"""``regalia doctor``: runs the checks and prints their findings with advice."""

import json
import logging
from collections.abc import Iterable
from dataclasses import asdict

from rich.console import Console
from rich.markup import escape

from api.ops.commands import checks, checks_of_engines, checks_of_signing, notices
from api.ops.commands.checks import Finding, Level

STYLES = {Level.OK: "green", Level.WARNING: "yellow", Level.BROKEN: "bold red"}


def examine() -> Iterable[Finding]:
    """Run every check in order. Checks that depend on a failed one are skipped."""
    yield from checks.packages()
    settings, found = checks.settings()
    yield from found
    if settings is None:
        return
    yield from checks.data_directory(settings)
    yield from checks.api_port(settings)
    yield from checks.outbound(settings)
    yield from checks_of_engines.engines_reachable(settings)
    yield from notices.receiver_reachable(settings)
    chains, found = checks.chains_file(settings)
    yield from found
    if chains is not None:
        yield from checks.nodes_answer(chains)
        yield from checks_of_signing.signing(settings, chains)
    yield from checks.development_tools()


def run(*, as_json: bool) -> int:
    """Print the findings. Returns the exit status: 1 if something is broken."""
    console = Console(soft_wrap=True)
    # Findings contain what drivers would log.
    logging.getLogger().addHandler(logging.NullHandler())
    broken = warnings = 0
    for finding in examine():
        broken += finding.level is Level.BROKEN
        warnings += finding.level is Level.WARNING
        if as_json:
            print(json.dumps(asdict(finding)))
            continue
        style = STYLES[finding.level]
        console.print(
            f"[{style}]{finding.level:<8}[/{style}] {finding.subject:<10} {escape(' '.join(finding.message.split()))}"
        )
        if finding.advice:
            console.print(f"{'':<20}-> {escape(finding.advice)}")
    if not as_json:
        console.print(f"\n{broken} broken, {warnings} to look at" if broken or warnings else "\nall is well")
    return 1 if broken else 0
