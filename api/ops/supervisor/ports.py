"""Ports on the loopback interface: finds free ones and checks configured ones."""

import socket

from api.ops.supervisor.part import PortTaken


def claim(host: str, port: int | None, what: str, setting: str) -> int:
    """``port`` if nothing listens there, or a free port if it is None or 0.

    Raises:
        PortTaken: something else listens there; the message names the setting to change.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        # As servers do: a connection of an earlier run in TIME_WAIT does not block a port.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port or 0))
            probe.listen(1)
        except OSError as error:
            raise PortTaken(
                f"port {port} on {host} for {what} cannot be had ({error.strerror}); stop what uses it or set {setting}"
            ) from error
        found: int = probe.getsockname()[1]
        return found


def listening(port: int, host: str = "127.0.0.1") -> bool:
    """Whether something accepts connections there."""
    try:
        with socket.create_connection((host, port), timeout=1):
            return True
    except OSError:
        return False
