"""The supervisor with small commands as parts: order, readiness, restarts, stopping, and nothing left behind."""

import asyncio
import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from api.ops.supervisor import state
from api.ops.supervisor.part import AlreadyRunning, Part, Phase, PortTaken, StackError
from api.ops.supervisor.ports import claim
from api.ops.supervisor.supervisor import Backoff, Supervisor
from tests.fixtures.supervised import QUICK, python, running
from tests.fixtures.waiting import wait_until, wait_until_async

SLEEP = python("import time; time.sleep(600)")


def supervise(data_dir: Path, *parts: Part, backoff: Backoff = QUICK) -> Supervisor:
    return Supervisor(parts, data_dir=data_dir, environment=os.environ, backoff=backoff)


def read(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def mark(path: Path, then: str = "time.sleep(600)") -> tuple[str, ...]:
    """Appends a line to ``path``, then goes on."""
    return python(f"import sys,time; open(sys.argv[1],'a').write(sys.argv[2]+chr(10)); {then}", str(path), "run")


async def test_a_part_starts_only_when_what_it_needs_is_ready(data_dir: Path) -> None:
    flag = data_dir / "flag"
    slow = python("import sys,time; time.sleep(.3); open(sys.argv[1],'w'); time.sleep(600)", str(flag))
    looks = python("import os,sys,time; print(os.path.exists(sys.argv[1]), flush=True); time.sleep(600)", str(flag))
    supervisor = supervise(
        data_dir, Part("second", looks, needs=("first",), ready=lambda: True), Part("first", slow, ready=flag.exists)
    )
    async with running(supervisor):
        await wait_until_async(lambda: supervisor.states["second"].phase is Phase.READY)
        await wait_until_async(lambda: read(supervisor.log_path("second")) == "True\n")
        assert supervisor.states["first"].ready_after_seconds >= 0.2


async def test_a_held_part_starts_when_it_is_released(data_dir: Path) -> None:
    supervisor = supervise(data_dir, Part("held", SLEEP, ready=lambda: True), Part("free", SLEEP, ready=lambda: True))
    supervisor.hold(["held"])
    async with running(supervisor):
        await wait_until_async(lambda: supervisor.states["free"].phase is Phase.READY)
        assert supervisor.states["held"].phase is Phase.WAITING
        supervisor.release()
        await wait_until_async(lambda: supervisor.states["held"].phase is Phase.READY)


async def test_a_stop_ends_a_stack_whose_parts_are_held(data_dir: Path) -> None:
    supervisor = supervise(data_dir, Part("held", SLEEP))
    supervisor.hold(["held"])
    async with running(supervisor):
        pass
    assert supervisor.states["held"].phase is Phase.STOPPED


async def test_a_step_has_to_succeed_before_what_needs_it_starts(data_dir: Path) -> None:
    step = Part("step", python("raise SystemExit(0)"), once=True)
    after = Part("after", SLEEP, needs=("step",), ready=lambda: True)
    supervisor = supervise(data_dir, step, after)
    async with running(supervisor):
        await wait_until_async(lambda: supervisor.states["after"].phase is Phase.READY)
    assert supervisor.states["step"].phase is Phase.DONE


async def test_a_failed_step_stops_the_stack_and_shows_its_output(data_dir: Path) -> None:
    other = Part("other", SLEEP, ready=lambda: True)
    step = Part("step", python("raise SystemExit('no such table')"), needs=("other",), once=True)
    with pytest.raises(StackError, match=r"step ended with status 1: no such table \(log: .*step\.log\)"):
        await asyncio.wait_for(supervise(data_dir, other, step).run(), 60)
    assert not guards()


async def test_a_dead_part_restarts_and_the_others_keep_running(data_dir: Path) -> None:
    runs = data_dir / "runs"
    dies = Part("dies", mark(runs), ready=runs.exists)
    lives = Part("lives", SLEEP, needs=("dies",), ready=lambda: True)
    supervisor = supervise(data_dir, dies, lives)
    async with running(supervisor):
        await wait_until_async(lambda: supervisor.states["lives"].phase is Phase.READY)
        other = supervisor.states["lives"].pid
        command = psutil.Process(supervisor.states["dies"].pid).children()[0]
        command.kill()
        await wait_until_async(
            lambda: supervisor.states["dies"].restarts == 1 and supervisor.states["dies"].phase is Phase.READY
        )
        await wait_until_async(lambda: read(runs) == "run\nrun\n")
        assert supervisor.states["dies"].last_exit == "SIGKILL"
        assert supervisor.states["lives"].pid == other


async def test_a_part_that_keeps_dying_is_logged_and_retried_forever(
    data_dir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    runs = data_dir / "runs"
    dies = Part("dies", mark(runs, "print('out of cheese'); raise SystemExit(3)"), ready=lambda: False)
    lives = Part("lives", SLEEP, ready=lambda: True)
    supervisor = supervise(data_dir, dies, lives)
    with caplog.at_level(logging.WARNING, logger="regalia.stack"):
        async with running(supervisor):
            await wait_until_async(lambda: supervisor.states["dies"].restarts >= 5)
            recorded = json.loads(state.state_file(data_dir).read_text())
            assert supervisor.states["lives"].phase is Phase.READY
            assert supervisor.states["lives"].restarts == 0
    assert recorded["parts"]["dies"]["phase"] == "failing"
    levels = [record.levelno for record in caplog.records if "dies" in record.message]
    assert levels[:4] == [logging.WARNING, logging.WARNING, logging.ERROR, logging.ERROR]
    assert "out of cheese" in caplog.text


def test_pauses_double_up_to_a_minute() -> None:
    assert [Backoff().pause(failures) for failures in (1, 2, 3, 4, 7, 500)] == [1, 2, 4, 8, 60, 60]


async def test_a_vital_part_that_never_starts_ends_the_stack(data_dir: Path) -> None:
    vital = Part("vital", python("raise SystemExit('no room')"), ready=lambda: False, vital=True)
    with pytest.raises(StackError, match="vital ended with status 1: no room"):
        await asyncio.wait_for(supervise(data_dir, vital, Part("waits", SLEEP, needs=("vital",))).run(), 60)


async def test_a_part_that_is_never_ready_is_killed_and_restarted(data_dir: Path) -> None:
    runs = data_dir / "runs"
    hangs = Part("hangs", mark(runs), ready=lambda: False, ready_seconds=0.3)
    supervisor = supervise(data_dir, hangs)
    async with running(supervisor):
        await wait_until_async(lambda: supervisor.states["hangs"].restarts >= 1)
        await wait_until_async(lambda: read(runs).count("run") >= 2)


async def test_parts_stop_in_reverse_order_and_stragglers_are_killed(data_dir: Path) -> None:
    ended = data_dir / "ended"
    notes = (
        "import signal,sys,time\n"
        "def end(*_):\n open(sys.argv[1],'a').write(sys.argv[2]+' '); raise SystemExit\n"
        "signal.signal(15,end)\nprint('up',flush=True)\ntime.sleep(600)"
    )
    deaf = "import signal,time\nsignal.signal(15,signal.SIG_IGN)\nprint('up',flush=True)\ntime.sleep(600)"

    def up(name: str) -> Callable[[], bool]:
        return lambda: read(data_dir / "logs" / f"{name}.log") == "up\n"

    parts = (
        Part("base", python(notes, str(ended), "base"), ready=up("base")),
        Part("middle", python(deaf), needs=("base",), ready=up("middle"), stop_seconds=0.5),
        Part("top", python(notes, str(ended), "top"), needs=("base", "middle"), ready=up("top")),
    )
    supervisor = supervise(data_dir, *parts)
    async with running(supervisor):
        await wait_until_async(lambda: supervisor.states["top"].phase is Phase.READY)
        begun = time.monotonic()
    assert time.monotonic() - begun < 60  # of the 600 that each would sleep
    assert ended.read_text() == "top base "
    assert all(current.phase is Phase.STOPPED for current in supervisor.states.values())
    assert not guards()


def deaf(data_dir: Path, name: str, needs: tuple[str, ...] = ()) -> Part:
    """A part that ignores the request to stop."""
    code = "import signal,time; signal.signal(15,signal.SIG_IGN); print('up',flush=True); time.sleep(600)"
    log = data_dir / "logs" / f"{name}.log"
    return Part(name, python(code), needs=needs, ready=lambda: read(log) == "up\n", stop_seconds=120)


async def test_a_stop_has_a_limit_and_says_what_it_waits_for(
    data_dir: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.ops.supervisor.supervisor.REPORT_SECONDS", 0.2)
    parts = (deaf(data_dir, "base"), deaf(data_dir, "top", ("base",)))
    supervisor = Supervisor(parts, data_dir=data_dir, environment=os.environ, backoff=QUICK, stop_limit_seconds=2.0)
    caplog.set_level(logging.INFO, "regalia.stack")
    async with running(supervisor):
        await wait_until_async(lambda: supervisor.states["top"].phase is Phase.READY)
    assert "waiting for top to stop; then base" in caplog.text
    assert "killed after 2 s: base, top" in caplog.text
    assert not guards()


async def test_a_second_request_to_stop_kills_at_once(data_dir: Path) -> None:
    supervisor = supervise(data_dir, deaf(data_dir, "deaf"))
    async with running(supervisor) as task:
        await wait_until_async(lambda: supervisor.states["deaf"].phase is Phase.READY)
        supervisor.request_stop()
        await wait_until_async(lambda: supervisor.states["deaf"].phase is Phase.STOPPING)
        supervisor.request_stop()
        await asyncio.wait_for(asyncio.shield(task), 30)
    assert not guards()


async def test_a_stop_before_anything_is_ready_is_quick_and_complete(data_dir: Path) -> None:
    never = Part("never", SLEEP, ready=lambda: False)
    supervisor = supervise(data_dir, never, Part("waits", SLEEP, needs=("never",)))
    task = asyncio.create_task(supervisor.run())
    await asyncio.sleep(0)  # parts are being started at this very moment
    supervisor.request_stop()
    await asyncio.wait_for(task, 30)
    assert not guards()


async def test_leftover_processes_are_killed_before_a_restart(data_dir: Path) -> None:
    spawns = (
        "import os,sys,time\n"
        "if os.fork()==0:\n os.setsid()\n open(sys.argv[1],'a').write(str(os.getpid())+' ')\n time.sleep(600)\n"
        "time.sleep(.2)"
    )
    pids = data_dir / "pids"
    supervisor = supervise(data_dir, Part("spawns", python(spawns, str(pids)), ready=lambda: False))
    async with running(supervisor):
        await wait_until_async(lambda: pids.exists() and len(pids.read_text().split()) >= 2)
        assert not psutil.pid_exists(int(pids.read_text().split()[0]))


async def test_a_log_is_bounded(data_dir: Path) -> None:
    from api.ops.supervisor.process import GuardedProcess

    log = data_dir / "logs" / "chatty.log"
    chatty = python("import sys\nfor i in range(2000): sys.stdout.write('x'*99+chr(10)); sys.stdout.flush()")
    process = await GuardedProcess.start(
        chatty, log=log, environment=os.environ, directory=data_dir, log_limit_bytes=70_000
    )
    assert await process.wait() == 0
    assert log.stat().st_size <= 70_000
    assert log.with_name("chatty.log.1").stat().st_size <= 70_000
    process.kill()


def test_a_second_stack_on_the_data_directory_is_refused(data_dir: Path) -> None:
    with (
        state.sole_stack(data_dir),
        pytest.raises(AlreadyRunning, match=rf"in use by another stack \(process {os.getpid()}\)"),
        state.sole_stack(data_dir),
    ):
        pass
    with state.sole_stack(data_dir):
        pass  # free again


def test_a_taken_port_is_named_with_its_setting() -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(PortTaken, match=rf"port {port} on 127\.0\.0\.1 for the API .* set REGALIA_PORT"):
            claim("127.0.0.1", port, "the API", "REGALIA_PORT")
    assert claim("127.0.0.1", port, "the API", "REGALIA_PORT") == port


# -- the whole process killed -------------------------------------------------------------------------------------

STACK = """
import asyncio, os, sys
from pathlib import Path
from api.ops.supervisor import guard, state
from api.ops.supervisor.part import Part
from api.ops.supervisor.supervisor import Supervisor

data_dir = Path(sys.argv[1])
family = '''
import os, time
for _ in range(2):
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        time.sleep(600)
time.sleep(600)
'''
command = (sys.executable, "-I", "-S", "-c", family)
parts = [Part("one", command, ready=lambda: True), Part("two", command, needs=("one",), ready=lambda: True)]
guard.prctl(guard.PR_SET_CHILD_SUBREAPER, 1)
supervisor = Supervisor(parts, data_dir=data_dir, environment=os.environ, owns_process=True)
asyncio.run(supervisor.run())
"""


def guards() -> list[psutil.Process]:
    """Guards below this process: the test run has children of its own."""
    return [child for child in children_of(os.getpid()) if any("guard.py" in word for word in child.cmdline())]


def children_of(pid: int) -> list[psutil.Process]:
    return [child for child in psutil.Process(pid).children(recursive=True) if child.status() != psutil.STATUS_ZOMBIE]


@pytest.fixture
def stack(data_dir: Path) -> Iterator[tuple[subprocess.Popen[bytes], list[psutil.Process]]]:
    """A supervisor in a process of its own, with two parts that each leave two orphans."""
    process = subprocess.Popen([sys.executable, "-c", STACK, str(data_dir)], start_new_session=True)
    # Per part: guard, command, two orphans.
    wait_until(lambda: len(children_of(process.pid)) >= 8, "both parts run", 60)
    yield process, children_of(process.pid)
    process.kill()
    process.wait()


def assert_all_gone(family: list[psutil.Process], seconds: float = 30) -> None:
    _, alive = psutil.wait_procs(family, timeout=seconds)
    assert not [left for left in alive if left.status() != psutil.STATUS_ZOMBIE]


def test_nothing_outlives_a_killed_supervisor(stack: tuple[subprocess.Popen[bytes], list[psutil.Process]]) -> None:
    process, family = stack
    process.kill()
    assert_all_gone(family)


def test_nothing_outlives_a_killed_process_group(stack: tuple[subprocess.Popen[bytes], list[psutil.Process]]) -> None:
    process, family = stack
    os.killpg(process.pid, signal.SIGKILL)
    assert_all_gone(family)


def test_a_killed_guard_ends_its_part_and_both_restart(
    stack: tuple[subprocess.Popen[bytes], list[psutil.Process]],
) -> None:
    process, family = stack
    guard = psutil.Process(process.pid).children()[0]
    below = children_of(guard.pid)
    assert len(below) == 3
    guard.kill()
    assert_all_gone(below)
    wait_until(lambda: len(children_of(process.pid)) >= 8, "both parts run", 60)
    family[:] = children_of(process.pid)
    process.kill()
    assert_all_gone(family)


async def test_parts_receive_signals_in_a_background_service(data_dir: Path) -> None:
    code = "import signal; print(*(signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)))"
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGHUP)}
    try:
        for number in before:  # as a shell does for what it runs in the background, and nohup
            signal.signal(number, signal.SIG_IGN)
        async with running(supervise(data_dir, Part("hears", python(code), once=True))):
            log = data_dir / "logs" / "hears.log"
            await wait_until_async(lambda: log.exists() and log.read_text())
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert "SIG_IGN" not in log.read_text()
    assert str(int(signal.SIG_IGN)) not in log.read_text().split()
