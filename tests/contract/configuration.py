"""How Schemathesis is set up for a running service: credentials, and values that lead somewhere."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

# Of the values of these parameters, so many are ones the service knows; the others are made up.
_KNOWN_SHARE = 0.6
# A valid document can say more than any schema of its request: that a chain is enabled, that a wallet signed it, that
# one field fits another. So "every request that fits the schema is accepted" is not promised.
_CHECKS_LEFT_OUT = ("positive_data_acceptance",)


@dataclass(frozen=True, slots=True)
class Credentials:
    """What the calls are made with. ``passing`` is a session for the operations that end the one they are called
    with."""

    api_key: str
    session: str | None = None
    passing: str | None = None


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is tried.

    Args:
        examples: cases for each operation and phase.
        seconds: fuzzing and stateful scenarios are repeated until so many have passed; null for once.
        deterministic: the same cases every time; else they follow from the seed, or from chance.
    """

    examples: int
    seconds: int | None
    deterministic: bool = False
    seed: int | None = None


def write(
    folder: Path,
    credentials: Credentials,
    known: Mapping[str, Sequence[str]],
    extent: Extent,
    ending: Sequence[str] = (),
) -> Path:
    """Write the configuration file.

    Args:
        known: values the service knows, by parameter (``symbol``, ``path.id``).
        ending: operations that end the session they are called with.
    """
    lines = [
        "color = false",
        "continue-on-failure = true",
        "request-timeout = 30.0",
        "warnings = false",
        *((f"max-time = {extent.seconds}",) if extent.seconds else ()),
        *((f"seed = {extent.seed}",) if extent.seed is not None else ()),
        "",
        "[generation]",
        f"max-examples = {extent.examples}",
        f"deterministic = {json.dumps(extent.deterministic)}",
        "",
        "[phases.stateful]",
        "max-steps = 8",
        *(f"\n[checks.{name}]\nenabled = false" for name in _CHECKS_LEFT_OUT),
        "",
        *(f"[auth.openapi.ApiKey]\napi_key = {json.dumps(credentials.api_key)}\n",),
    ]
    if credentials.session:
        lines += [f"[auth.openapi.WalletSession]\nbearer = {json.dumps(credentials.session)}\n"]
    for name, values in known.items():
        lines += [f"[dictionaries.{_word(name)}]", f"values = {json.dumps(list(values))}", ""]
    lines += ["[parameters]"]
    lines += [
        f"{json.dumps(name)} = {{ dictionary = {json.dumps(_word(name))}, probability = {_KNOWN_SHARE} }}"
        for name in known
    ]
    for name in ending:
        lines += ["", "[[operations]]", f"include-name = {json.dumps(name)}"]
        lines += [f"headers = {{ Authorization = {json.dumps(f'Bearer {credentials.passing}')} }}"]
    path = folder / "schemathesis.toml"
    path.write_text("\n".join([*lines, ""]))
    path.chmod(0o600)
    return path


def _word(name: str) -> str:
    return name.replace(".", "-")
