"""Refusals of requests that exceed a limit."""

from api.http.errors import TooManyRequests


class RateExceeded(TooManyRequests):
    """More requests a second than the plan allows."""

    text = "more than 50 requests a second"


class QuotaExceeded(TooManyRequests):
    """The plan's daily quota is used up."""

    text = "the daily quota of 100000 requests is used up; it is renewed at 00:00 UTC"


class AddressRateExceeded(TooManyRequests):
    """More requests a minute than an address may send without a credential."""

    text = "more than 400 requests a minute from this address"


class TooManyInvalidKeys(TooManyRequests):
    """More invalid API keys a minute than an address may send."""

    text = "more than 60 API keys a minute that are not valid, from this address"
