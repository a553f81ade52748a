"""Batches calls: those that arrive while one is running are made together, so load makes each cheaper."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

Question = TypeVar("Question")
Answer = TypeVar("Answer")
MAX_BATCH = 1_000


class Coalescer(Generic[Question, Answer]):
    """Calls ``answer`` with batches, one at a time; it returns as many results, in the same order."""

    def __init__(self, answer: Callable[[Sequence[Question]], Awaitable[Sequence[Answer]]]) -> None:
        self._answer = answer
        self._waiting: list[tuple[Question, asyncio.Future[Answer]]] = []
        self._running: asyncio.Task[None] | None = None

    async def ask(self, question: Question) -> Answer:
        """The result of one call; an exception of ``answer`` is raised to all callers of the batch."""
        result: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting.append((question, result))
        if self._running is None:
            self._running = asyncio.create_task(self._run())
        return await result

    async def _run(self) -> None:
        try:
            while self._waiting:
                asked, self._waiting = self._waiting[:MAX_BATCH], self._waiting[MAX_BATCH:]
                try:
                    answers = await self._answer([question for question, _ in asked])
                except Exception as error:  # for the callers of this batch; the next one runs all the same
                    for _, result in asked:
                        if not result.done():
                            result.set_exception(error)
                else:
                    for (_, result), answer in zip(asked, answers, strict=True):
                        if not result.done():
                            result.set_result(answer)
        finally:
            self._running = None
