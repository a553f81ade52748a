"""Errors of the token list routes."""

from api.http.errors import NotFound


class VersionNotPublished(NotFound):
    """No version of the list has these numbers."""

    text = "version: 9.9.9 was not published"


class NotRegistered(NotFound):
    """The symbol has no registration on the chain."""

    text = "symbol: no registration of PEPE on Base"


class PlatformUnknown(NotFound):
    """The operator's settings have no such platform."""

    text = "platform: 'other' is not one of profile"
