"""A node's program that this process runs, and the JSON-RPC connection to it."""

import http.client
import itertools
import os
import subprocess  # the node is a program
import sys
import threading
from collections.abc import Sequence
from types import TracebackType
from typing import Any, ClassVar, Self

import orjson

from indexer.devchain.child import die_with_parent


class LocalNodeError(RuntimeError):
    """The node cannot be found, does not start, or answers with an error; ``code`` and ``data`` are the answer's."""

    def __init__(self, message: str, *, code: int | None = None, data: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


class LocalNode:
    """One running node. Thread-safe; use as a context manager or call ``stop``."""

    name: ClassVar[str]
    error: ClassVar[type[LocalNodeError]]
    request_seconds: ClassVar[float]

    def __init__(self, process: "subprocess.Popen[bytes]", port: int) -> None:
        self.process = process
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        self._local = threading.local()
        self._ids = itertools.count(1)

    def rpc(self, method: str, *params: Any) -> Any:
        """Call one JSON-RPC method.

        Raises:
            LocalNodeError: the node answered with an error, or not at all.
        """
        answer = self._post({"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params})
        return self._result(answer, method)

    def batch(self, calls: Sequence[tuple[str, Sequence[Any]]]) -> list[Any]:
        """Call many methods in one request; results come in the order of the calls.

        Raises:
            LocalNodeError: the node answered one of them with an error, or not at all.
        """
        if not calls:
            return []
        body = [
            {"jsonrpc": "2.0", "id": position, "method": method, "params": params}
            for position, (method, params) in enumerate(calls)
        ]
        answers = self._post(body)
        if not isinstance(answers, list) or len(answers) != len(calls):
            raise self.error(f"{self.name} answered a batch of {len(calls)} with {str(answers)[:200]}")
        answers.sort(key=lambda answer: answer["id"])
        return [self._result(answer, method) for answer, (method, _) in zip(answers, calls, strict=True)]

    def stop(self) -> None:
        """End the node. Safe to call again."""
        if self.process.poll() is None:
            self.process.kill()  # it keeps nothing, so there is nothing to flush
            self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()
        self.disconnect()

    def disconnect(self) -> None:
        """Close this thread's connection; a thread that ends before the node calls it."""
        connection = getattr(self._local, "connection", None)
        if connection is not None:
            connection.close()
            self._local.connection = None

    def __enter__(self) -> Self:
        """The node itself; it is running already."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the node."""
        self.stop()

    def _last_words(self) -> str:
        """What the node said before it ended, if it has."""
        if self.process.poll() is None or self.process.stderr is None or self.process.stderr.closed:
            return ""
        return self.process.stderr.read().decode(errors="replace").strip()[-500:]

    def _post(self, body: Any) -> Any:
        payload = orjson.dumps(body, default=list)
        for attempt in (1, 2):
            connection = getattr(self._local, "connection", None)
            if connection is None:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.request_seconds)
                self._local.connection = connection
            try:
                connection.request("POST", "/", payload, {"content-type": "application/json"})
                return orjson.loads(connection.getresponse().read())
            except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError) as error:
                # An idle connection was closed on us; a new one is tried once.
                self.disconnect()
                if attempt == 2 or self.process.poll() is not None:
                    raise self._failure("went away", error) from error
            except OSError as error:
                self.disconnect()
                raise self._failure("does not answer", error) from error
        raise AssertionError("unreachable")

    def _failure(self, what: str, error: OSError) -> LocalNodeError:
        return self.error(f"{self.name} on {self.url} {what}: {self._last_words() or error}")

    def _result(self, answer: Any, method: str) -> Any:
        if isinstance(answer, dict) and "error" not in answer:
            return answer.get("result")
        error = answer.get("error") if isinstance(answer, dict) else answer
        found = error if isinstance(error, dict) else {}
        raise self.error(f"{method}: {error}", code=found.get("code"), data=found.get("data"))


def spawn(command: Sequence[str], *, stdin: int, stdout: int) -> "subprocess.Popen[bytes]":
    """Start a node's program, which is killed when the thread that started it ends."""
    return subprocess.Popen(
        command,
        stdin=stdin,
        stdout=stdout,
        stderr=subprocess.PIPE,
        preexec_fn=die_with_parent(os.getpid()) if sys.platform == "linux" else None,
    )
