"""A service whose clock is in the test's hand and whose limits the test writes."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.api.auth.conftest import SetClock
from tests.api.conftest import Serve, Service

Limited = Callable[..., AbstractAsyncContextManager[Service]]


@pytest.fixture
def clock() -> SetClock:
    """A clock that stands at noon until it is moved."""
    stands = SetClock()
    stands.moment = stands.moment.replace(hour=12, minute=0, second=0, microsecond=0)
    return stands


@pytest.fixture
def limits_file(tmp_path: Path) -> Path:
    return tmp_path / "limits.toml"


@pytest.fixture
def limited(serve: Serve, clock: SetClock, limits_file: Path) -> Limited:
    """Starts services with limits of the free plan, such as ``per_second=1``, laid over the built-in ones."""

    def write(public: str, limits: dict[str, int]) -> None:
        lines = [f"{name} = {value}" for name, value in limits.items()]
        limits_file.write_text("\n".join(["[plans.free]", *lines, "[public]", public]))

    @asynccontextmanager
    async def start(backend: str = "process", *, public: str = "", **limits: int) -> AsyncIterator[Service]:
        write(public, limits)
        settings: dict[str, Any] = {"limits": limits_file, "limits_backend": backend}
        async with serve(clock=clock, **settings) as service:
            yield service

    return start
