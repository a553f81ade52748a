"""The supervisor reports parts that keep failing, whatever else is down."""

import os
import time
from datetime import timedelta
from pathlib import Path

from api.ops.supervisor.notices import PartNotices
from api.ops.supervisor.part import Part, PartState, Phase
from api.ops.supervisor.supervisor import Supervisor
from tests.fixtures.receiver import Receiver
from tests.fixtures.supervised import QUICK, python, running
from tests.fixtures.waiting import wait_until_async
from warehouse.delivery.retries import RetrySchedule

FAILING, READY = PartState(Phase.FAILING, restarts=3, last_exit="status 7"), PartState(Phase.READY)


def notices_to(receiver: Receiver, stable_seconds: float = 0.0) -> PartNotices:
    return PartNotices(
        receiver.webhook(),
        "{} ended with status 7".format,
        stable_seconds,
        retries=RetrySchedule((timedelta(milliseconds=10),) * 2),
    )


async def test_a_part_that_keeps_failing_is_reported_once(data_dir: Path, receiver: Receiver) -> None:
    notices = notices_to(receiver, stable_seconds=60)  # a process may die slowly on a busy machine
    part = Part("dagster-code", python("import sys; print('no such table'); sys.exit(7)"))
    supervisor = Supervisor([part], data_dir=data_dir, environment=os.environ, backoff=QUICK, on_phase=notices.note)
    notices.explain = lambda name: supervisor.explain(supervisor.parts[name])
    async with running(supervisor):
        await wait_until_async(lambda: supervisor.states["dagster-code"].restarts >= 5)
    receiver.wait_for(1)
    assert receiver.events() == [("firing", "part_failing:dagster-code")]
    summary = receiver.received[0].body["alert"]["summary"]
    assert summary.startswith("dagster-code ended with status 7: no such table")


def test_recovery_is_reported_when_the_part_is_ready(receiver: Receiver) -> None:
    notices = notices_to(receiver)
    notices.note("worker", FAILING)
    notices.note("worker", READY)
    receiver.wait_for(2)
    notices.note("worker", FAILING)
    receiver.wait_for(3)
    assert [event for event, _ in receiver.events()] == ["firing", "resolved", "firing"]


def test_a_part_ready_for_a_moment_has_not_recovered(receiver: Receiver) -> None:
    notices = notices_to(receiver, stable_seconds=0.3)
    for _ in range(3):
        notices.note("worker", FAILING)
        notices.note("worker", READY)
    notices.note("worker", FAILING)
    receiver.wait_for(1)
    time.sleep(0.5)
    assert receiver.events() == [("firing", "part_failing:worker")]


def test_refused_messages_are_sent_again(receiver: Receiver) -> None:
    receiver.answers = [500, 503]
    notices_to(receiver).note("worker", FAILING)
    receiver.wait_for(3)
    assert len({one.headers["Idempotency-Key"] for one in receiver.received}) == 1
