"""``regalia reencrypt``."""

import json

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from api.ops.commands.opened import run_with_services
from api.ops.reencryption import Outcome, Reencryption
from api.services import Services


class ReencryptError(ValueError):
    """Something cannot be decrypted; the message says how much."""


def reencrypt(*, batch: int, dry_run: bool) -> None:
    """Encrypt what other keys encrypted with the present one, and print what was done.

    Raises:
        ReencryptError: some of it cannot be decrypted with the keys that are configured.
    """

    async def act(services: Services) -> list[Outcome]:
        work = Reencryption(services.store, services.sealer, batch)
        if dry_run:
            return await work.count()
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True)) as progress:
            tasks = {one.kind: progress.add_task(one.kind, total=one.found) for one in await work.count()}
            return await work.run(lambda kind, rows: progress.advance(tasks[kind], rows))

    outcomes = run_with_services(act)
    for one in outcomes:
        line = {"kind": one.kind, "found": one.found, "reencrypted": one.reencrypted, "unreadable": one.unreadable}
        print(json.dumps(line))
    unreadable = sum(one.unreadable for one in outcomes)
    if unreadable:
        raise ReencryptError(
            f"{unreadable} cannot be decrypted: set REGALIA_PREVIOUS_SEALING_KEY to the key that encrypted them"
        )
