"""Sessions: handles that outlive a request, with their temporary tables and ``SET`` settings.

A request's URL settings count for that request only, so they are put back afterwards.
"""

import json
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from .access import Role, Users, analyst_settings
from .databases import AnalystDatabases
from .engine import Engine, Handle, configure, literal
from .errors import ClickHouseError, bad_request
from .protocol import Request
from .statements import READS, keyword, tokens

MAX_SESSIONS = 256
MAX_TIMEOUT_SECONDS = 3600.0
DEFAULT_TIMEOUT_SECONDS = 60.0


@dataclass(slots=True)
class Session:
    """One session's handle; ``busy`` is held while a request uses it."""

    handle: Handle
    timeout_seconds: float
    expires: float
    busy: threading.Lock = field(default_factory=threading.Lock)


class Lease:
    """A configured handle for one request. ``release`` gives it back once, however often it is called."""

    def __init__(self, handle: Handle, session: Session | None, restore: Mapping[str, str | None]) -> None:
        self.handle = handle
        self._session = session
        self._restore = restore
        self._released = False

    def release(self) -> None:
        """Close the handle, or return it to its session with its settings restored."""
        if self._released:
            return
        self._released = True
        if self._session is None:
            self.handle.close()
            return
        try:
            if self._restore:
                values = (
                    f"{name} = {'DEFAULT' if value is None else literal(value)}"
                    for name, value in self._restore.items()
                )
                self.handle.query("SET " + ", ".join(values), "TSV")
        finally:
            self._session.expires = time.monotonic() + self._session.timeout_seconds
            self._session.busy.release()


class Sessions:
    """All sessions of the server. Its methods run in worker threads."""

    def __init__(self, engine: Engine, users: Users) -> None:
        self._engine = engine
        self._analysts = AnalystDatabases(engine, users)
        self._sessions: dict[str, Session] = {}
        self._guard = threading.Lock()

    def lease(self, request: Request, sql: bytes) -> Lease:
        """A handle configured for ``request``.

        Raises:
            ClickHouseError: the session is busy or unknown, or the request's settings are refused.
        """
        if request.role is Role.ANALYST:
            settings, database = self._analysts.prepare(request, sql)
            return self._fresh(request, {**analyst_settings(request.settings()), **settings, "readonly": "1"}, database)
        settings = request.settings()
        name = request.parameters.get("session_id")
        if not name:
            return self._fresh(request, {**settings, "readonly": "2"} if request.read_only else settings)
        if request.read_only:
            _check_reads(sql)
        session = self._claim(name, request)
        lease = Lease(session.handle, session, {})
        try:
            lease = Lease(session.handle, session, _current(session.handle, settings))
            configure(session.handle, _all_settings(request, settings), self._other_database(request))
        except BaseException:  # an interrupt must not keep the session
            lease.release()
            raise
        return lease

    def forget(self, name: str) -> None:
        """Close a session, unless a request uses it."""
        with self._guard:
            session = self._sessions.get(name)
            if session is None or not session.busy.acquire(blocking=False):
                return
            del self._sessions[name]
        session.handle.close()

    def close(self) -> None:
        """Close all sessions."""
        with self._guard:
            sessions, self._sessions = list(self._sessions.values()), {}
        for session in sessions:
            session.handle.close()

    def _fresh(self, request: Request, settings: Mapping[str, str], database: str | None = None) -> Lease:
        lease = Lease(self._engine.handle(), None, {})
        try:
            configure(lease.handle, _all_settings(request, settings), database or self._other_database(request))
        except BaseException:  # an interrupt must not keep the session
            lease.release()
            raise
        return lease

    def _other_database(self, request: Request) -> str | None:
        return request.database if request.database != self._engine.database else None

    def _claim(self, name: str, request: Request) -> Session:
        now = time.monotonic()
        with self._guard:
            idle = [key for key, kept in self._sessions.items() if kept.expires < now and not kept.busy.locked()]
            expired = [self._sessions.pop(key) for key in idle]
            session = self._sessions.get(name)
            if session is None:
                if request.parameters.get("session_check") == "1":
                    raise ClickHouseError(372, "SESSION_NOT_FOUND", f"Session {name} not found.")
                if len(self._sessions) >= MAX_SESSIONS:
                    raise ClickHouseError(202, "TOO_MANY_SIMULTANEOUS_QUERIES", "Too many sessions are open")
                session = Session(self._engine.handle(), _timeout(request), now)
                self._sessions[name] = session
            claimed = session.busy.acquire(blocking=False)
        for old in expired:
            old.handle.close()
        if not claimed:
            raise ClickHouseError(373, "SESSION_IS_LOCKED", f"Session {name} is locked by a concurrent client.")
        return session


def _all_settings(request: Request, settings: Mapping[str, str]) -> dict[str, str]:
    # The id is sent as log_comment, by which a statement is found when it is cancelled. readonly comes last, because
    # nothing can be set after it.
    merged = {"log_comment": request.query_id, **request.values(), **settings}
    if "readonly" in merged:
        merged["readonly"] = merged.pop("readonly")
    return merged


def _timeout(request: Request) -> float:
    text = request.parameters.get("session_timeout", "")
    if not text:
        return DEFAULT_TIMEOUT_SECONDS
    if not text.isdigit() or not 0 < int(text) <= MAX_TIMEOUT_SECONDS:
        raise bad_request(f"session_timeout must be between 1 and {MAX_TIMEOUT_SECONDS:.0f} seconds")
    return float(text)


def _current(handle: Handle, settings: Mapping[str, str]) -> dict[str, str | None]:
    """The session's own values of these settings; None where it has none."""
    if not settings:
        return {}
    query = "SELECT name, value FROM system.settings WHERE changed"
    rows = (json.loads(line) for line in handle.query(query, "JSONCompactEachRow").bytes().splitlines())
    changed: dict[str, str] = dict(rows)
    return {name: changed.get(name) for name in settings}


def _check_reads(sql: bytes) -> None:
    # A session's handle cannot be made read-only for one request, because that cannot be undone.
    first = keyword(sql)
    writes = first in (b"WITH", b"EXPLAIN") and any(token.upper == b"INSERT" for token in tokens(sql))
    if writes or first not in READS | {b"SET", b"USE"}:
        raise ClickHouseError(164, "READONLY", "Cannot execute query in readonly mode: use POST to change data.")
