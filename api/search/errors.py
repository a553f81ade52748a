"""Errors of searches."""

from api.http.errors import Unavailable


class NothingPublished(Unavailable):
    """The warehouse has no published state yet."""

    text = "nothing has been indexed yet, try again"


class ResultsChanged(Unavailable):
    """A newer state replaced the rows between two reads."""

    text = "the results changed while they were read, try again"
