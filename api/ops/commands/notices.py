"""``regalia notices``: whether notices reach the operator's webhook."""

import socket
import time
import uuid
from collections.abc import Iterable
from datetime import UTC, datetime
from urllib.parse import urlsplit

import typer

from api.ops.commands.checks import Finding, Level
from api.ops.commands.failures import UNAVAILABLE, USAGE
from api.ops.supervisor.settings import StackSettings
from api.settings import load
from warehouse.notices import webhook
from warehouse.notices.conditions import Condition, message
from warehouse.notices.webhook import DeliveryFailed

_CONNECT_SECONDS = 3.0
_DEFAULT_PORTS = {"http": 80, "https": 443}


def send_test() -> None:
    """Send one test notice and print whether it was accepted. Nothing is recorded or retried."""
    receiver = webhook.configured(load())
    if receiver is None:
        typer.echo("regalia: REGALIA_ALERT_WEBHOOK_URL is not set", err=True)
        raise typer.Exit(USAGE)
    now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    trial = Condition("test", "trial", "warning", "this is a test notice, nothing is wrong", {})
    began = time.monotonic()
    try:
        status = webhook.send(receiver, message("test", trial, started_at=now), f"test:{uuid.uuid4()}")
    except DeliveryFailed as error:
        typer.echo(f"regalia: not delivered: {error}", err=True)
        raise typer.Exit(UNAVAILABLE) from None
    signed = "signed" if receiver.secret else "not signed"
    typer.echo(f"delivered to {receiver.place}: HTTP {status} in {time.monotonic() - began:.2f} s, {signed}")


def receiver_reachable(settings: StackSettings) -> Iterable[Finding]:
    """Check whether there is a receiver and whether it takes connections. Nothing is sent."""
    receiver = webhook.configured(settings)
    if receiver is None:
        advice = "set REGALIA_ALERT_WEBHOOK_URL to be notified of failing checks, halted chains and failing parts"
        yield Finding(Level.OK, "notices", "notices have no receiver: failures are only logged", advice)
        return
    parts = urlsplit(receiver.url)
    try:
        port = parts.port or _DEFAULT_PORTS[parts.scheme]
        socket.create_connection((str(parts.hostname), port), _CONNECT_SECONDS).close()
    except OSError as error:
        advice = "start the receiver or correct REGALIA_ALERT_WEBHOOK_URL; messages are tried again for 16 hours"
        yield Finding(Level.WARNING, "notices", f"{receiver.place} cannot be reached: {type(error).__name__}", advice)
        return
    unsigned = (
        None if receiver.secret else "set REGALIA_ALERT_WEBHOOK_SECRET, so that the receiver can verify who sends"
    )
    yield Finding(Level.OK, "notices", f"{receiver.place} takes connections; `regalia notices test` sends", unsigned)
