"""Single processes of the service, for machines that run a part of it. ``regalia up`` runs the same modules."""

from typing import NoReturn

from api.ops.commands.forward import become
from api.ops.supervisor import ports
from api.ops.supervisor.settings import load
from warehouse import engines


def run_api() -> NoReturn:
    """Become an API process.

    Raises:
        EnginesNotRunning: an engine is neither configured nor running.
        PortTaken: something else listens on a port that is set.
    """
    settings = load()
    engines.locate(settings)
    ports.claim(settings.host, settings.port, "the API", "REGALIA_PORT")
    ports.claim(settings.metrics_host, settings.metrics_port, "the metrics", "REGALIA_METRICS_PORT")
    become("api.server")


def run_worker() -> NoReturn:
    """Become a worker.

    Raises:
        EnginesNotRunning: an engine is neither configured nor running.
    """
    engines.locate(load())
    become("api.worker")


def run_follower(chain: str) -> NoReturn:
    """Become the follower of a chain.

    Raises:
        EnginesNotRunning: an engine is neither configured nor running.
    """
    engines.locate(load())
    become("pipelines", "follow", "--chain", chain)
