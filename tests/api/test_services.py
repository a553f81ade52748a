"""The shared parts of a process: made on first use, closed at the end, replaceable in tests."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, runtime_checkable

import pytest
from starlette.requests import Request

from api.clock import SystemClock
from api.http import dependencies
from api.services import Services, open_services
from api.settings import ApiSettings
from tests.fixtures.service import Serve
from warehouse.chains.facts import ChainFactsError
from warehouse.engines import EngineUrls

NOWHERE = EngineUrls(clickhouse_url="http://127.0.0.1:9", database_url="postgresql://nobody@127.0.0.1:9/none")


@pytest.fixture
def settings(data_dir: Path) -> ApiSettings:
    return ApiSettings(data_dir=data_dir, clickhouse_url=NOWHERE.clickhouse_url, database_url=NOWHERE.database_url)


async def test_parts_are_made_once_and_contact_nothing(settings: ApiSettings) -> None:
    async with open_services(settings) as services:
        assert services.store is services.store
        assert services.api_keys.store is services.store
        assert services.urls.database_url == NOWHERE.database_url
        assert "warehouse" not in vars(services)


async def test_a_part_can_be_replaced(serve: Serve) -> None:
    class Stopped(SystemClock):
        pass

    async with serve(clock=(clock := Stopped())) as service:
        assert service.services.clock is clock
        service.services.limits = marked = type(service.services.limits)(None)
        assert service.services.limits is marked


async def test_opened_parts_are_closed(settings: ApiSettings) -> None:
    async with open_services(settings) as services:
        chain = replace(services.chains.by_key["base"], rpc_urls=(NOWHERE.clickhouse_url,))
        session = services.readers.of(chain)._session
        assert not session.is_closed
    assert session.is_closed


def test_an_invalid_chains_file_is_refused(settings: ApiSettings, tmp_path: Path) -> None:
    with pytest.raises(ChainFactsError):
        Services.of(settings.model_copy(update={"chains": tmp_path / "missing.toml"}))


def test_each_dependency_gives_what_it_declares(settings: ApiSettings) -> None:
    """The declared type of a dependency is that of the part."""
    services = Services.of(settings, urls=NOWHERE)

    class App:
        state = type("State", (), {"services": services})

    request = Request({"type": "http", "app": App})
    declared = {name: value for name, value in vars(dependencies).items() if get_origin(value) is Annotated}
    assert len(declared) > 15
    for name, value in declared.items():
        kind, depends = get_args(value)
        given = _given(depends.dependency, request)
        if getattr(kind, "_is_protocol", False):
            kind = runtime_checkable(kind)
        assert isinstance(given, kind), name


def _given(dependency: Any, request: Request) -> object:
    try:
        dependency(request).send(None)
    except StopIteration as stop:
        return stop.value
    raise AssertionError("a dependency waits")
