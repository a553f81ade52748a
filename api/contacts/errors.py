"""Refusals of contacts."""

from api.http.errors import Conflict, Forbidden, NotFound, TooManyRequests


class ChannelOff(Conflict):
    """The service does not use the channel."""

    code = "CHANNEL_OFF"
    text = "channel: this service does not send over it"


class NoSuchContact(NotFound):
    """The account has no contact on the channel."""

    text = "this account has no contact on this channel"


class AlreadyConfirmed(Conflict):
    """The contact needs no code."""

    code = "ALREADY_CONFIRMED"
    text = "the contact is confirmed"


class CodeWrong(Forbidden):
    """The code is not the last one that was sent, or too old, or was guessed too often."""

    code = "CODE_WRONG"
    text = "code: is not valid; ask for another one"


class TooManyCodes(TooManyRequests):
    """So many codes were sent that no more are sent now."""

    text = "codes were sent too often; try again later"
