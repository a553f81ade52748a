"""``regalia up``: one process that holds the data directory and supervises everything else."""

import asyncio
import logging
import os
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from api.ops.supervisor import guard, parts, ports, state
from api.ops.supervisor.notices import PartNotices
from api.ops.supervisor.part import Part, Phase
from api.ops.supervisor.process import LOG_LIMIT_BYTES
from api.ops.supervisor.settings import StackSettings
from api.ops.supervisor.supervisor import Supervisor
from warehouse.chains import facts
from warehouse.embedded import restoring
from warehouse.embedded.layout import Layout
from warehouse.notices import webhook

log = logging.getLogger("regalia.stack")


def run(
    settings: StackSettings,
    wanted: parts.Wanted | None = None,
    *,
    more: Sequence[Part] = (),
    on_start: Callable[[Supervisor], None] | None = None,
    on_ready: Callable[[Supervisor], None] | None = None,
) -> None:
    """Run the service until SIGINT or SIGTERM. When this returns or raises, everything has stopped.

    ``more`` are parts beside the service's own. ``on_start`` is called once, on the loop, before the first part starts,
    ``on_ready`` when every part is ready or known to be failing.

    Raises:
        StackError: another stack uses the data directory, a port is taken, or the service does not start.
        RestoreUnfinished: the data directory holds a restore that was interrupted.
    """
    settings = settings.model_copy(update={"data_dir": settings.data_dir.absolute()})
    layout = Layout.of(settings.data_dir)
    layout.prepare()
    restoring.ensure_finished(layout)
    with state.sole_stack(settings.data_dir):
        bound_logs(settings.data_dir / "logs")
        port = ports.claim(settings.host, settings.port, "the API", "REGALIA_PORT")
        settings = settings.model_copy(update={"port": port})
        supervised = [*parts.build(settings, facts.load(settings.chains), wanted or parts.Wanted()), *more]
        # Orphans of a killed guard become children of this process, which kills them.
        guard.prctl(guard.PR_SET_CHILD_SUBREAPER, 1)
        asyncio.run(_supervise(supervised, settings, on_start, on_ready or announce))


async def _supervise(
    supervised: Sequence[Part],
    settings: StackSettings,
    on_start: Callable[[Supervisor], None] | None,
    on_ready: Callable[[Supervisor], None],
) -> None:
    receiver = webhook.configured(settings)
    notices = PartNotices(receiver, lambda name: supervisor.explain(supervisor.parts[name])) if receiver else None
    supervisor = Supervisor(
        supervised,
        data_dir=settings.data_dir,
        environment=environment(settings),
        owns_process=True,
        on_ready=on_ready,
        on_phase=notices.note if notices else None,
    )
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup ignores SIGHUP
            loop.add_signal_handler(number, supervisor.request_stop)
    if on_start is not None:
        on_start(supervisor)
    await supervisor.run()


def environment(settings: StackSettings) -> dict[str, str]:
    """The environment of the parts: this process's, with absolute paths."""
    found = os.environ | {
        "REGALIA_DATA_DIR": str(settings.data_dir),
        "REGALIA_PORT": str(settings.port),
        # Parts run in the data directory, from which nothing must be imported.
        "PYTHONSAFEPATH": "1",
        "PYTHONUNBUFFERED": "1",
        # By default the C library keeps up to eight heaps per core, each as large as it ever was.
        "MALLOC_ARENA_MAX": os.environ.get("MALLOC_ARENA_MAX", "2"),
    }
    if settings.chains is not None:
        found["REGALIA_CHAINS"] = str(settings.chains.absolute())
    if settings.pricing is not None:
        found["REGALIA_PRICING"] = str(settings.pricing.absolute())
    return dict(found)


def bound_logs(folder: Path) -> None:
    """Rotate logs whose writers do not do it themselves."""
    for path in folder.glob("*.log"):
        if path.stat().st_size > LOG_LIMIT_BYTES:
            path.replace(path.with_name(path.name + ".1"))


def announce(supervisor: Supervisor) -> None:
    """Print the parts and where they listen."""
    failing = [name for name, current in supervisor.states.items() if current.phase is Phase.FAILING]
    print()
    for name, part in supervisor.parts.items():
        if part.listens and name not in failing:
            print(f"  {name:<16} {part.listens}{f', metrics at {part.metrics}' if part.metrics else ''}")
    for name in failing:
        print(f"  {name:<16} FAILING, see {supervisor.log_path(name)}")
    took = time.time() - supervisor.started_at
    print(f"\n{'ready' if not failing else 'ready in part'} in {took:.1f} s; Ctrl-C stops everything\n", flush=True)
