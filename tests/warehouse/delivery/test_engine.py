"""The delivery engine over a queue in memory and a real receiver."""

import asyncio
from datetime import timedelta

from tests.fixtures.clocks import ManualClock
from tests.fixtures.receiver import Receiver
from warehouse.delivery.engine import DeliveryEngine, Terms
from warehouse.delivery.pace import Pace
from warehouse.delivery.retries import RetrySchedule
from warehouse.notices.channel import NoticeChannel
from warehouse.notices.queues import NoticesInMemory

TERMS = Terms("test", RetrySchedule((timedelta(minutes=1), timedelta(minutes=2))), limit_seconds=5, lease_seconds=15)


def put(queue: NoticesInMemory, subject: str, event: str, clock: ManualClock) -> None:
    queue.put(subject, {"event": event, "alert": {"key": subject}}, clock.now())


def test_messages_about_one_subject_keep_their_order_and_delay_no_other(receiver: Receiver) -> None:
    clock, queue = ManualClock(), NoticesInMemory(receiver.webhook())
    engine = DeliveryEngine(queue, NoticeChannel(), TERMS, clock.now)
    receiver.answers = [500]
    put(queue, "a", "firing", clock)
    asyncio.run(engine.run_until_idle())
    put(queue, "a", "resolved", clock)
    put(queue, "b", "firing", clock)
    asyncio.run(engine.run_until_idle())
    assert receiver.events() == [("firing", "a"), ("firing", "b")]
    clock.advance(minutes=1)
    asyncio.run(engine.run_until_idle())
    assert receiver.events()[2:] == [("firing", "a"), ("resolved", "a")]
    keys = [one.headers["Idempotency-Key"] for one in receiver.received]
    assert keys[0] == keys[2]
    assert len(set(keys)) == 3


def test_a_message_is_given_up_after_the_last_pause(receiver: Receiver) -> None:
    clock, queue = ManualClock(), NoticesInMemory(receiver.webhook())
    engine = DeliveryEngine(queue, NoticeChannel(), TERMS, clock.now)
    receiver.answers = [500] * 10
    put(queue, "a", "firing", clock)
    for _ in range(6):
        asyncio.run(engine.run_until_idle())
        clock.advance(minutes=5)
    assert len(receiver.received) == 3
    put(queue, "a", "resolved", clock)
    receiver.answers = []
    asyncio.run(engine.run_until_idle())
    assert receiver.events()[3:] == [("resolved", "a")]


def test_the_engine_sends_until_it_is_stopped(receiver: Receiver) -> None:
    clock, queue = ManualClock(), NoticesInMemory(receiver.webhook())
    engine = DeliveryEngine(queue, NoticeChannel(), TERMS, clock.now)

    async def run() -> None:
        stop = asyncio.Event()
        running = asyncio.create_task(engine.run(stop))
        await asyncio.sleep(0.05)
        put(queue, "a", "firing", clock)
        engine.notify()
        await asyncio.to_thread(receiver.wait_for, 1)
        stop.set()
        await running

    asyncio.run(run())
    assert receiver.events() == [("firing", "a")]


class BrokenOnce(NoticeChannel):
    """Fails in a way that no attempt describes, then sends."""

    broken = False

    async def send(self, receiver, delivery, started_at):  # type: ignore[no-untyped-def]
        if not self.broken:
            self.broken = True
            raise RuntimeError("a defect")
        return await super().send(receiver, delivery, started_at)


def test_a_defect_of_a_channel_keeps_no_slot_and_loses_no_message(receiver: Receiver) -> None:
    clock, queue = ManualClock(), NoticesInMemory(receiver.webhook())
    engine = DeliveryEngine(queue, BrokenOnce(), TERMS, clock.now, pace=Pace(places=1))
    put(queue, "a", "firing", clock)
    asyncio.run(engine.run_until_idle())
    assert (receiver.events(), engine.pace.free) == ([], 1)
    clock.advance(seconds=TERMS.lease_seconds + 1)
    asyncio.run(engine.run_until_idle())
    assert receiver.events() == [("firing", "a")]
