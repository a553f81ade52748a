"""Admission: slots, queue, and rejections."""

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest

from api.http.gate import Gate, Rejected
from api.http.groups import CLAIMS, READS, SEARCHES
from tests.fixtures.service import Serve, Service


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


async def waiting(gate: Gate, count: int) -> "list[asyncio.Task[None]]":
    tasks = [asyncio.create_task(gate.enter()) for _ in range(count)]
    await asyncio.sleep(0)
    return tasks


async def settle(tasks: "list[asyncio.Task[None]]") -> list[str]:
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return ["in" if task.exception() is None else str(task.exception()) for task in tasks if task.done()]


async def test_the_next_request_takes_a_released_slot() -> None:
    gate = Gate(2, patience_seconds=5)
    await gate.enter()
    await gate.enter()
    first, second = await waiting(gate, 2)
    assert (gate.running, gate.waiting) == (2, 2)
    gate.leave()
    await settle([first])
    assert (first.done(), second.done(), gate.running) == (True, False, 2)
    gate.leave()
    await settle([second])
    for _ in range(2):
        gate.leave()
    assert (gate.running, gate.waiting) == (0, 0)


async def test_a_burst_is_served_in_order_and_a_standing_queue_newest_first() -> None:
    clock = Clock()
    gate = Gate(1, patience_seconds=100, monotonic=clock)
    await gate.enter()
    tasks = await waiting(gate, 4)
    gate.leave()
    await settle(tasks)
    assert [task.done() for task in tasks] == [True, False, False, False]
    clock.now = 0.2
    assert not gate.standing, "a burst goes away by itself"
    tasks += await waiting(gate, 1)
    assert gate.standing
    gate.leave()
    await settle(tasks)
    assert [task.done() for task in tasks] == [True, False, False, False, True]
    for _ in range(4):
        gate.leave()
    await settle(tasks)
    assert gate.running == 0


async def test_old_requests_of_a_standing_queue_are_rejected_at_once() -> None:
    clock = Clock()
    gate = Gate(1, patience_seconds=1, monotonic=clock)
    await gate.enter()
    tasks = await waiting(gate, 3)
    clock.now = 0.3
    tasks += await waiting(gate, 1)
    gate.leave()
    assert await settle(tasks) == ["waited_too_long"] * 3 + ["in"]
    gate.leave()
    assert (gate.running, gate.waiting) == (0, 0)


async def test_a_short_queue_is_not_a_standing_queue() -> None:
    clock = Clock()
    gate = Gate(1, patience_seconds=100, monotonic=clock)
    await gate.enter()
    tasks = await waiting(gate, 2)
    for _ in range(20):
        clock.now += 0.04
        tasks += await waiting(gate, 1)
        gate.leave()
        await settle(tasks)
        assert not gate.standing
    assert [task.done() for task in tasks] == [True] * 20 + [False] * 2
    clock.now += 0.5
    tasks += await waiting(gate, 1)
    assert gate.standing
    for _ in range(4):
        gate.leave()
    await settle(tasks)
    assert (gate.standing, gate.running) == (False, 0)


async def test_a_full_queue_rejects_the_newest_and_a_standing_queue_the_oldest() -> None:
    clock = Clock()
    gate = Gate(1, patience_seconds=100, max_queued=2, monotonic=clock)
    await gate.enter()
    tasks = await waiting(gate, 2)
    with pytest.raises(Rejected, match="queue_full"):
        await gate.enter()
    clock.now = 1.0
    tasks += await waiting(gate, 1)
    assert await settle(tasks) == ["queue_full"]
    assert tasks[0].done()
    for _ in range(3):
        gate.leave()
    await settle(tasks)
    assert gate.running == 0


async def test_a_wait_ends_after_the_patience_without_a_free_slot() -> None:
    gate = Gate(1, patience_seconds=0.02)
    await gate.enter()
    began = asyncio.get_running_loop().time()
    with pytest.raises(Rejected, match="waited_too_long"):
        await gate.enter()
    assert asyncio.get_running_loop().time() - began < 20
    gate.leave()
    await gate.enter()
    assert gate.running == 1


async def test_a_cancelled_wait_releases_everything() -> None:
    gate = Gate(1, patience_seconds=5)
    await gate.enter()
    (waiter,) = await waiting(gate, 1)
    waiter.cancel()
    await asyncio.gather(waiter, return_exceptions=True)
    assert gate.waiting == 0
    (waiter,) = await waiting(gate, 1)
    gate.leave()  # the slot is granted, and the waiting task cancelled before it runs
    waiter.cancel()
    await asyncio.gather(waiter, return_exceptions=True)
    assert (gate.running, gate.waiting) == (0, 0)


@pytest.fixture
async def crowded(serve: Serve) -> AsyncIterator[Service]:
    """One slot for each class, taken for searches and reads; short patience."""
    async with serve(
        admission_searches=1, admission_reads=1, admission_claims=1, admission_queue_seconds=0.5
    ) as service:
        await service.get("/config/fees")
        gates = _gates(service)
        for name in (SEARCHES.name, READS.name):
            await gates[name].enter()
        yield service


def _gates(service: Service) -> dict[str, Gate]:
    layer = service.app.middleware_stack
    while not hasattr(layer, "gates"):
        layer = layer.app  # type: ignore[union-attr]
    gates: dict[str, Gate] = layer.gates
    return gates


@pytest.mark.parametrize(
    ("path", "code"), [("/search?symbol=PEPE", "unavailable"), ("/registration/PEPE/base", "UNAVAILABLE")]
)
async def test_a_rejection_is_503_in_the_shape_of_the_group(crowded: Service, path: str, code: str) -> None:
    answers = await asyncio.gather(*(crowded.anonymous.get(f"/api/v2{path}") for _ in range(20)))
    for answer in answers:
        assert (answer.status_code, answer.json()["code"]) == (503, code)
        assert 1 <= int(answer.headers["retry-after"]) <= 3
        assert answer.headers["x-request-id"]
    text = await crowded.metrics()
    name = (SEARCHES if "search" in path else READS).name
    assert f'regalia_admission_requests_total{{class="{name}",outcome="queue_full"}} 4.0' in text
    assert f'regalia_admission_requests_total{{class="{name}",outcome="waited_too_long"}} 16.0' in text
    assert f'regalia_admission_working{{class="{name}"}} 1.0' in text


async def test_every_slot_is_free_after_many_requests(serve: Serve) -> None:
    async with serve(admission_reads=2, admission_queue_seconds=10) as service:
        claims = [service.post("/claim/message", {}) for _ in range(10)]
        answers = await asyncio.gather(*(service.get("/registration/fee") for _ in range(100)), *claims)
        assert {answer.status_code for answer in answers[:100]} == {200, 503}
        assert all(answer.headers["retry-after"] for answer in answers if answer.status_code == 503)
        assert {answer.status_code for answer in answers[100:]} == {400}
        assert (await service.get("/registration/fee")).status_code == 200
        assert all((gate.running, gate.waiting) == (0, 0) for gate in _gates(service).values())


async def test_a_burst_of_a_hundred_is_served(serve: Serve) -> None:
    # A slow machine must not shed the burst as overload: the queue has room for all of it.
    async with serve(admission_queue_seconds=600) as service:
        reads = await asyncio.gather(*(service.get("/registration/fee") for _ in range(100)))
        claims = await asyncio.gather(*(service.post("/claim/message", {}) for _ in range(100)))
        assert ({answer.status_code for answer in reads}, {answer.status_code for answer in claims}) == ({200}, {400})


async def test_full_classes_do_not_affect_others_health_and_metrics(crowded: Service) -> None:
    answer = await crowded.post("/claim/message", {})
    assert answer.status_code == 400
    assert (await crowded.anonymous.get("/health/live")).status_code == 200
    assert (await crowded.anonymous.get("/health/ready")).status_code == 200
    gates = _gates(crowded)
    gates[READS.name].leave()
    assert (await crowded.get("/config/fees")).status_code == 200


async def test_a_slow_body_takes_no_slot(crowded: Service) -> None:
    begun = asyncio.Event()
    rest = asyncio.Event()

    async def slowly() -> AsyncIterator[bytes]:
        yield b'{"symbol"'
        begun.set()
        await rest.wait()
        yield b": 5}"

    headers = {"content-type": "application/json"}
    slow = asyncio.create_task(crowded.client.post("/api/v2/claim/message", content=slowly(), headers=headers))
    await begun.wait()
    assert _gates(crowded)[CLAIMS.name].running == 0
    assert (await crowded.post("/claim/message", {})).status_code == 400
    rest.set()
    answer: httpx.Response = await slow
    assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_INVALID_INPUT")
