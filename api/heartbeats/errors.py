"""Errors of the heartbeat routes."""

from api.http.errors import NotFound


class NotScored(NotFound):
    """The token has no score yet."""

    text = "symbol: PEPE on Base has no score yet"
