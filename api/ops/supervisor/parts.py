"""The parts of ``regalia up``: their commands and readiness."""

import importlib.util
import sys
from collections.abc import Iterable
from dataclasses import dataclass

from api.ops.supervisor import ports, probes
from api.ops.supervisor.part import Part, StackError
from api.ops.supervisor.settings import StackSettings
from warehouse.domain.chains import Chain, Chains
from warehouse.embedded import record
from warehouse.embedded.layout import Layout

ENGINE_STOP_SECONDS = 30.0

_OURS = frozenset({"warehouse", "indexer", "pipelines", "api"})
_LOADED = {"api": ("api.app",), "dagster-code": ("pipelines.definitions",), "dagster": ("dagster_webserver",)}
"""Packages that a part loads besides its own module."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which of the optional parts to run."""

    dagster: bool = True
    followers: bool = True
    first: tuple[Part, ...] = ()
    """Steps that run while the engines start, and end before anything reads the chains file."""


def build(settings: StackSettings, chains: Chains, wanted: Wanted) -> list[Part]:
    """The parts, in the order of their listing. Unset ports are chosen here.

    Raises:
        PortTaken: a port that is set is in use.
        StackError: a module that a part runs is not installed.
    """
    layout = Layout.of(settings.data_dir)
    parts = [*_engines(settings, layout)]
    embedded = tuple(part.name for part in parts)
    parts.append(Part("migrations", _python("warehouse", "migrate"), needs=embedded, once=True))
    parts += wanted.first
    # Parts that use the engines stop before them.
    needs = (*embedded, "migrations", *(part.name for part in wanted.first))
    parts.append(_api(settings, needs))
    parts.append(Part("worker", _python("api.worker"), needs=needs, stop_seconds=15))
    if wanted.followers:
        parts += (_follower(chain, needs) for chain in followed(chains))
    if wanted.dagster:
        parts += _dagster(settings, layout, needs)
    _require_modules(parts)
    return parts


def followed(chains: Chains) -> tuple[Chain, ...]:
    """The chains whose head is followed: those with a node, except chains served on claim routes only."""
    return tuple(chain for chain in chains.enabled() if chain.can_index and not chain.claim_only)


def _python(module: str, *arguments: str) -> tuple[str, ...]:
    return (sys.executable, "-m", module, *arguments)


def _engines(settings: StackSettings, layout: Layout) -> Iterable[Part]:
    if settings.database_url is None:
        port = ports.claim("127.0.0.1", settings.postgres_port, "the embedded PostgreSQL", "REGALIA_POSTGRES_PORT")
        yield Part(
            "store",
            _python("warehouse", "postgres", "--port", str(port)),
            ready=lambda: record.POSTGRES in record.read(layout),
            vital=True,
            stop_seconds=ENGINE_STOP_SECONDS,
            listens=f"postgresql://127.0.0.1:{port}",
            port=port,
        )
    if settings.clickhouse_url is None:
        port = ports.claim("127.0.0.1", settings.clickhouse_port, "the embedded ClickHouse", "REGALIA_CLICKHOUSE_PORT")
        yield Part(
            "warehouse",
            _python("warehouse", "clickhouse", "--port", str(port)),
            ready=lambda: (
                record.CLICKHOUSE in record.read(layout) and probes.answers(f"http://127.0.0.1:{port}/ping")()
            ),
            vital=True,
            stop_seconds=ENGINE_STOP_SECONDS,
            listens=f"http://127.0.0.1:{port}",
            port=port,
        )


def _api(settings: StackSettings, needs: tuple[str, ...]) -> Part:
    host = settings.host
    port = ports.claim(host, settings.port, "the API", "REGALIA_PORT")
    authority = _authority(host, port)
    metrics_port = ports.claim(settings.metrics_host, settings.metrics_port, "the metrics", "REGALIA_METRICS_PORT")
    return Part(
        "api",
        _python("api.server"),
        needs=needs,
        environment={"REGALIA_HOST": host, "REGALIA_PORT": str(port), "REGALIA_METRICS_PORT": str(metrics_port)},
        ready=probes.answers(f"http://{authority}/health/ready"),
        vital=True,
        stop_seconds=12,
        listens=f"http://{authority}",
        port=port,
        metrics=f"http://{_authority(settings.metrics_host, metrics_port)}/metrics",
    )


def _authority(host: str, port: int) -> str:
    """Where this machine reaches what listens on the host and port."""
    reach = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - recognised, not chosen
    return f"[{reach}]:{port}" if ":" in reach else f"{reach}:{port}"


def _follower(chain: Chain, needs: tuple[str, ...]) -> Part:
    return Part(
        f"follow-{chain.key}", _python("pipelines", "follow", "--chain", chain.key), needs=needs, stop_seconds=10
    )


def _dagster(settings: StackSettings, layout: Layout, needs: tuple[str, ...]) -> Iterable[Part]:
    home = layout.root / "dagster"
    code_port = ports.claim("127.0.0.1", None, "Dagster's code server", "REGALIA_DATA_DIR")
    web_port = ports.claim("127.0.0.1", settings.dagster_port, "Dagster's web UI", "REGALIA_DAGSTER_PORT")
    web_url = f"http://127.0.0.1:{web_port}"
    workspace = str(home / "workspace.yaml")
    environment = {"DAGSTER_HOME": str(home)}
    log_format = ("--log-format", "json" if settings.log_format == "json" else "colored")
    yield Part(
        "dagster-setup",
        _python("api.ops.supervisor.dagster_home", str(home), str(code_port)),
        needs=needs,
        environment=environment,
        once=True,
    )
    yield Part(
        "dagster-code",
        _python(
            "dagster",
            *("api", "grpc", "--module-name", "pipelines.code_location"),
            *("--host", "127.0.0.1", "--port", str(code_port)),
            # Dagster starts runs with this interpreter, whatever PATH says.
            *("--use-python-environment-entry-point", "--empty-working-directory"),
            *("--location-name", "regalia", "--log-level", "warning", *log_format),
        ),
        needs=needs,
        ready=probes.accepts(code_port),
        environment=environment,
        stop_seconds=10,
        listens=f"grpc://127.0.0.1:{code_port}",
        port=code_port,
    )
    yield Part(
        "dagster",
        _python("pipelines.dagster_server", "--workspace", workspace, "--port", str(web_port)),
        needs=(*needs, "dagster-setup", "dagster-code"),
        ready=probes.dagster_works(web_url),
        environment=environment,
        stop_seconds=20,
        listens=web_url,
        port=web_port,
    )


def _require_modules(parts: Iterable[Part]) -> None:
    """Report missing packages now, instead of restarting their parts forever."""
    for part in parts:
        for name in filter(None, (_ran(part.command), *_LOADED.get(part.name, ()))):
            if not _exists(name):
                raise StackError(f"{part.name} cannot run: the module {name} is not installed")


def _ran(command: tuple[str, ...]) -> str | None:
    if "-m" not in command:
        return None
    name = command[command.index("-m") + 1]
    package, _, _ = name.partition(".")
    if package not in _OURS:
        return package  # finding a submodule would import it, which takes seconds
    return f"{name}.__main__" if name == package else name


def _exists(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False
