"""The configuration of Schemathesis for a running service: credentials and known parameter values."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.contract.credentials import Credentials

# This share of a parameter's values are known to the service; the rest are generated.
_KNOWN_SHARE = 0.6
# A valid document can say more than any schema of its request: that a chain is enabled, that a wallet signed it, that
# one field fits another. So "every request that fits the schema is accepted" is not promised.
_CHECKS_LEFT_OUT = ("positive_data_acceptance",)
# What a request that the document forbids may be answered: a body can be too large before it is anything else.
_REFUSALS = (400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 429, 503)
# DELETE revokes what these name and keeps the record: asked again they show it, with the time it was revoked.
_REVOKING = "/account/keys/|/auth/sessions/"


@dataclass(frozen=True, slots=True)
class Extent:
    """The extent of a run.

    Args:
        examples: cases for each operation and phase.
        paths: an expression for the paths that are tried; None: all.
        seconds: fuzzing and stateful scenarios repeat for this long; None: they run once.
        coverage: whether each boundary of each parameter is tried, some forty cases for each operation.
        deterministic: the same cases every time. Otherwise they depend on the seed; without a seed they are random.
    """

    examples: int
    seconds: int | None
    coverage: bool = True
    deterministic: bool = False
    paths: str | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """Values of a parameter (``symbol``, ``path.id``) that the service knows. ``paths``: an expression for the paths on
    which the parameter has this meaning; empty: all."""

    parameter: str
    values: Sequence[str | int]
    paths: str = ""


def write(
    folder: Path, credentials: Credentials, known: Sequence[Known], operations: Iterable[str], extent: Extent
) -> Path:
    """Write the configuration file for these operations (``GET /api/v2/search``)."""
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
        "[phases.coverage]",
        f"enabled = {json.dumps(extent.coverage)}",
        "",
        "[phases.stateful]",
        "max-steps = 8",
        *(f"\n[checks.{name}]\nenabled = false" for name in _CHECKS_LEFT_OUT),
        f"\n[checks.negative_data_rejection]\nexpected-statuses = {json.dumps(_REFUSALS)}",
        "",
        f"[auth.openapi.ApiKey]\napi_key = {json.dumps(credentials.api_key)}\n",
        f"[auth.openapi.WalletSession]\nbearer = {json.dumps(credentials.session)}\n",
    ]
    for number, one in enumerate(known):
        lines += [f"[dictionaries.known{number}]", f"values = {json.dumps(list(one.values))}", ""]
    lines += ["[parameters]", *(_binding(number, one) for number, one in enumerate(known) if not one.paths)]
    for name in operations:
        # One entry for each operation: if several match, Schemathesis uses only the first one's parameters.
        own = [_binding(number, one) for number, one in enumerate(known) if one.paths and _is_on(one, name)]
        if own:
            lines += ["", "[[operations]]", f"include-name = {json.dumps(name)}", "[operations.parameters]", *own]
    for name, bearer in credentials.passing.items():
        lines += ["", "[[operations]]", f"include-name = {json.dumps(name)}"]
        lines += [f"headers = {{ Authorization = {json.dumps(f'Bearer {bearer}')} }}"]
    lines += ["", "[[operations]]", f"include-path-regex = {json.dumps(_REVOKING)}"]
    lines += ["[operations.checks.use_after_free]", "enabled = false"]
    path = folder / "schemathesis.toml"
    path.write_text("\n".join([*lines, ""]))
    path.chmod(0o600)
    return path


def _is_on(known: Known, operation: str) -> bool:
    return re.search(known.paths, operation.partition(" ")[2]) is not None


def _binding(number: int, known: Known) -> str:
    return f'{json.dumps(known.parameter)} = {{ dictionary = "known{number}", probability = {_KNOWN_SHARE} }}'
