"""Work in other threads with the caller's context: the fields of its log, and its trace."""

from collections.abc import Callable
from contextvars import copy_context
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Result = TypeVar("Result")


def carry(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """The function, to be called by other threads, any number of them at once, in the context of this call."""
    caller = copy_context()

    def carried(*arguments: Given.args, **named: Given.kwargs) -> Result:
        return caller.copy().run(function, *arguments, **named)

    return carried
