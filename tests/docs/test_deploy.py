"""The examples of a deployment agree with the service: its commands, settings, ports, paths and times to stop."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from pydantic import SecretStr

from api.app import create_app
from api.cli import app as commands
from api.ops.commands.checks import OTHER_VARIABLES
from api.ops.supervisor.parts import Wanted, build, followed
from api.ops.supervisor.settings import StackSettings
from api.settings import ApiSettings
from tests.fixtures.checkout import CHECKOUT
from warehouse.chains import facts
from warehouse.domain.chains import Chains

FOLDER = CHECKOUT / "docs" / "deploy"
IMAGE = "registry.example/regalia:0.1.0"
METRICS, PUBLIC = "9464", "8000"
WRITABLE = {"/var/lib/regalia", "/tmp"}
URLS_WITH_PASSWORDS = {"REGALIA_DATABASE_URL", "REGALIA_CLICKHOUSE_URL", "REGALIA_ANALYST_URL"}


@dataclass(frozen=True)
class Process:
    """A container of ours: its command, its settings that are not secret, and how long it may take to stop."""

    name: str
    command: list[str]
    settings: dict[str, str]
    grace_seconds: float
    given: dict[str, Any]

    @property
    def kind(self) -> str:
        return self.command[0]


def seconds(text: str) -> float:
    return float(text.removesuffix("s"))


def documents() -> Iterator[dict[str, Any]]:
    for path in sorted((FOLDER / "kubernetes").glob("*.yaml")):
        yield from yaml.safe_load_all(path.read_text())


def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((FOLDER / "compose.yaml").read_text())
    return found


def pods() -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each workload with the description of its pod."""
    for document in documents():
        if "template" in document.get("spec", {}):
            yield document, document["spec"]["template"]["spec"]


def processes() -> list[Process]:
    settings = next(one["data"] for one in documents() if one["kind"] == "ConfigMap")
    found = [
        Process(name, one["command"], one["environment"], seconds(one.get("stop_grace_period", "10s")), one)
        for name, one in compose()["services"].items()
        if one["image"] == IMAGE
    ]
    for workload, pod in pods():
        container = pod["containers"][0]
        sleep = container.get("lifecycle", {}).get("preStop", {}).get("sleep", {}).get("seconds", 0)
        grace = pod["terminationGracePeriodSeconds"] - sleep
        found.append(Process(workload["metadata"]["name"], container["args"], settings, grace, container))
    return found


PROCESSES = processes()
every_process = pytest.mark.parametrize("process", PROCESSES, ids=lambda one: one.name)


@pytest.fixture(scope="module")
def chains() -> Chains:
    return facts.load(FOLDER / "chains.toml")


@pytest.fixture(scope="module")
def stop_seconds(chains: Chains, tmp_path_factory: pytest.TempPathFactory) -> dict[str, float]:
    """How long the supervisor gives each kind of process to stop."""
    settings = StackSettings(
        data_dir=tmp_path_factory.mktemp("data"), clickhouse_url="http://w/r", database_url="postgresql://s/r", port=0
    )
    parts = build(settings, chains, Wanted())
    times = {part.name.partition("-")[0]: part.stop_seconds for part in parts}
    # `up` stops its parts in turn, those that nobody needs first.
    whole = sum(part.stop_seconds for part in parts if not part.once and not part.name.startswith("follow-"))
    return {**times, "migrate": 0.0, "up": whole}


def test_both_run_the_same_processes(chains: Chains) -> None:
    expected = {"api", "worker", "migrate", "up"} | {f"follow {chain.key}" for chain in followed(chains)}
    services = compose()["services"].values()
    in_compose = [one["command"] for one in services if one["image"] == IMAGE]
    in_cluster = [pod["containers"][0]["args"] for _, pod in pods()]
    for started in (in_compose, in_cluster):
        kinds = [f"follow {command[-1]}" if command[0] == "follow" else command[0] for command in started]
        assert sorted(kinds) == sorted(expected)


@every_process
def test_the_command_exists(process: Process) -> None:
    command: Any = typer.main.get_command(commands).commands[process.kind]  # type: ignore[attr-defined]
    command.make_context(process.kind, process.command[1:])


@every_process
def test_its_settings_exist_and_are_valid(process: Process) -> None:
    known = {f"REGALIA_{name.upper()}" for name in StackSettings.model_fields} | OTHER_VARIABLES
    assert process.settings.keys() <= known
    StackSettings(**{name.removeprefix("REGALIA_").lower(): text for name, text in process.settings.items()})


@every_process
def test_it_has_longer_to_stop_than_it_needs(process: Process, stop_seconds: dict[str, float]) -> None:
    assert process.grace_seconds >= stop_seconds[process.kind]


def test_followers_have_one_replica_that_starts_after_the_last_has_ended() -> None:
    followers = [workload["spec"] for workload, pod in pods() if pod["containers"][0]["args"][0] in ("follow", "up")]
    assert followers
    assert all(one["replicas"] == 1 and one["strategy"] == {"type": "Recreate"} for one in followers)
    assert not any("replicas" in one.given.get("deploy", {}) for one in PROCESSES if one.kind in ("follow", "up"))


def test_probes_ask_for_paths_that_are_served_on_the_port_that_is_set(tmp_path: Path) -> None:
    served = create_app(ApiSettings(data_dir=tmp_path)).openapi()["paths"].keys()
    apis = [one for one in PROCESSES if one.kind == "api"]
    for process in apis:
        assert process.settings["REGALIA_PORT"] == PUBLIC
        assert process.settings["REGALIA_METRICS_PORT"] == METRICS
        assert process.settings["REGALIA_LIMITS_BACKEND"] == "store"
    asked = re.findall(r":(\d+)(/[\w/]+)", " ".join(apis[0].given["healthcheck"]["test"]))
    container = apis[1].given
    ports = {port["name"]: str(port["containerPort"]) for port in container["ports"]}
    assert ports == {"http": PUBLIC, "metrics": METRICS}
    for name in ("startupProbe", "livenessProbe", "readinessProbe"):
        probe = container[name]["httpGet"]
        asked.append((ports[probe["port"]], probe["path"]))
    assert {port for port, _ in asked} == {PUBLIC}
    assert {path for _, path in asked} == {"/health/live", "/health/ready"}
    assert {path for _, path in asked} <= served
    [service] = [one["spec"] for one in documents() if one["kind"] == "Service"]
    assert service["ports"][0]["targetPort"] in ports
    assert compose()["services"]["api"]["ports"][0].endswith(f":{PUBLIC}")


def test_services_and_budgets_select_pods_that_exist() -> None:
    labels = [workload["spec"]["template"]["metadata"]["labels"] for workload, _ in pods()]
    for document in documents():
        selector = document.get("spec", {}).get("selector")
        if selector:
            wanted = selector.get("matchLabels", selector)
            assert [one for one in labels if wanted.items() <= one.items()], document["metadata"]["name"]


def test_no_secret_is_in_the_files() -> None:
    fields = {**ApiSettings.model_fields, **StackSettings.model_fields}
    secret = {f"REGALIA_{name.upper()}" for name, one in fields.items() if SecretStr in _types(one.annotation)}
    secret |= URLS_WITH_PASSWORDS | {name for name in OTHER_VARIABLES if name.endswith("_KEY")}
    assert "REGALIA_SIGNING_KEY" in secret
    for process in PROCESSES:
        assert not secret & process.settings.keys()
        assert "env" not in process.given
    assert not [one for one in documents() if one["kind"] == "Secret"]
    for service in compose()["services"].values():
        assert not [name for name in service.get("environment", {}) if "PASSWORD" in name or name in secret]
        assert service["env_file"] == ["secrets.env"]
    for path in FOLDER.rglob("*"):
        if path.is_file():
            assert not re.search(r"://[^/\s]+:[^/\s]+@|BEGIN [A-Z ]*PRIVATE KEY", path.read_text()), path


def _types(annotation: Any) -> set[Any]:
    return {annotation, *getattr(annotation, "__args__", ())}


def test_nothing_runs_as_root_or_writes_to_its_image() -> None:
    for _, pod in pods():
        [container] = pod["containers"]
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["automountServiceAccountToken"] is False
        assert container["securityContext"] == {
            "readOnlyRootFilesystem": True,
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
        }
        assert {mount["mountPath"] for mount in container["volumeMounts"] if not mount.get("readOnly")} == WRITABLE
        assert {mount["name"] for mount in container["volumeMounts"]} == {volume["name"] for volume in pod["volumes"]}
        assert "memory" in container["resources"]["limits"]
    for service in compose()["services"].values():
        if service["image"] == IMAGE:
            assert service["user"] == "10001:10001"
            assert service["read_only"] is True
            assert service["cap_drop"] == ["ALL"]
    dockerfile = (FOLDER / "Dockerfile").read_text()
    assert "USER 10001:10001" in dockerfile


def test_everything_waits_for_the_migrations_in_compose() -> None:
    services = compose()["services"]
    for name, service in services.items():
        if service["image"] == IMAGE and name != "migrate":
            assert service["depends_on"] == {"migrate": {"condition": "service_completed_successfully"}}
    assert services["migrate"]["depends_on"].keys() == {"store", "warehouse"}
    assert services["migrate"]["restart"] == "no"


def test_the_image_has_what_the_service_runs_from() -> None:
    copied = set(re.findall(r"^COPY (.+) \./\w*$", (FOLDER / "Dockerfile").read_text(), re.MULTILINE))
    for path in " ".join(copied).split():
        assert (CHECKOUT / path).exists()
    assert {"warehouse", "indexer", "pipelines", "api", "sql"} <= copied
