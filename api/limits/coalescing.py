"""Questions that arrive while one is being answered are asked together: the busier, the cheaper each."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

Question = TypeVar("Question")
Answer = TypeVar("Answer")
MOST_AT_ONCE = 1_000


class Coalescer(Generic[Question, Answer]):
    """Hands questions on in lists, one list at a time; ``answer`` gives as many answers, in the same order."""

    def __init__(self, answer: Callable[[Sequence[Question]], Awaitable[Sequence[Answer]]]) -> None:
        self._answer = answer
        self._waiting: list[tuple[Question, asyncio.Future[Answer]]] = []
        self._flight: asyncio.Task[None] | None = None

    async def ask(self, question: Question) -> Answer:
        """The answer to one question; what ``answer`` raises reaches all who were asked for together."""
        place: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting.append((question, place))
        if self._flight is None:
            self._flight = asyncio.create_task(self._fly())
        return await place

    async def _fly(self) -> None:
        try:
            while self._waiting:
                asked, self._waiting = self._waiting[:MOST_AT_ONCE], self._waiting[MOST_AT_ONCE:]
                try:
                    answers = await self._answer([question for question, _ in asked])
                except Exception as error:  # whoever asked is to know; the next ones are asked for all the same
                    for _, place in asked:
                        if not place.done():
                            place.set_exception(error)
                else:
                    for (_, place), answer in zip(asked, answers, strict=True):
                        if not place.done():
                            place.set_result(answer)
        finally:
            self._flight = None
