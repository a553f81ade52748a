"""Errors as one line for the terminal, with their exit statuses.

=========  =============================================================================
status     meaning
=========  =============================================================================
0          done; for ``up``: stopped on request
1          it failed, or ``doctor`` found something broken
2          wrong use: an unknown option, an invalid setting or chains file
3          an engine or the service cannot be reached
4          in use: another stack runs on the data directory, or a port is taken
130        interrupted by Ctrl-C
=========  =============================================================================
"""

import os

FAILED = 1
USAGE = 2
UNAVAILABLE = 3
IN_USE = 4


def explain(error: Exception) -> tuple[str, int] | None:
    """A message and the exit status; None for an unexpected error."""
    from pydantic import ValidationError

    from api.accounts.service import AccountError
    from api.challenges.deciding import DecisionError
    from api.ops.commands.broadcasts import ReviewError
    from api.ops.commands.deals import DealCommandError
    from api.ops.commands.reencrypt import ReencryptError
    from api.ops.supervisor.part import AlreadyRunning, PortTaken, StackError
    from api.overlay import OverlayError
    from api.registrations.attesting import AttestationError
    from api.security.signing_keys import SigningKeyError
    from indexer.chains.errors import RpcError
    from indexer.contracts.sending import SendError
    from indexer.contracts.signer import SignerKeyError, SignerUnavailable
    from warehouse.chains.facts import ChainFactsError
    from warehouse.errors import EnginesNotRunning, MigrationError, StoreUnavailable, WarehouseError

    match error:
        case ValidationError():
            return describe_settings(error), USAGE
        case (
            ChainFactsError()
            | AccountError()
            | AttestationError()
            | DecisionError()
            | DealCommandError()
            | ReviewError()
            | ReencryptError()
            | OverlayError()
        ):
            return str(error), USAGE
        case SignerKeyError() | SigningKeyError():
            return str(error), USAGE
        case AlreadyRunning() | PortTaken():
            return str(error), IN_USE
        case EnginesNotRunning() | StoreUnavailable() | WarehouseError() | RpcError() | SignerUnavailable():
            return str(error), UNAVAILABLE
        case StackError() | MigrationError() | SendError():
            return str(error), FAILED
        case OSError():
            return f"{error.filename}: {error.strerror}" if error.filename else str(error), FAILED
        case _:
            return None


def describe_settings(error: object) -> str:
    """The invalid settings by their names in the environment, with the reasons."""
    from pydantic import ValidationError

    if not isinstance(error, ValidationError):
        return str(error)
    found = []
    for problem in error.errors(include_url=False):
        name = "REGALIA_" + "_".join(str(step) for step in problem["loc"]).upper()
        found.append(f"{name}={os.environ.get(name, problem['input'])!r}: {problem['msg']}")
    return "; ".join(found)
