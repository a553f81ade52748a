"""Finds wallet sessions: verifies the token, then looks up its session, cached for a few seconds."""

from datetime import datetime
from uuid import UUID

from api.clock import Clock
from api.http.cache import Cache
from api.http.metrics import Metrics
from api.security.callers import WalletSession
from api.security.jwt import TokenRefused, Tokens
from warehouse.store import Store


class Sessions:
    """Finds the session of a token. Wallets and scopes come from the store; those in the token are for its reader.

    Args:
        cache_seconds: how long a looked-up session is trusted; a revocation takes this long in other processes.
    """

    def __init__(self, store: Store, tokens: Tokens, *, clock: Clock, metrics: Metrics, cache_seconds: float) -> None:
        self.store = store
        self.tokens = tokens
        self.clock = clock
        self._known: Cache[WalletSession | None] = Cache("wallet_session", ttl_seconds=cache_seconds, metrics=metrics)

    async def find(self, token: str) -> WalletSession | None:
        """The session of a valid token, at most ``cache_seconds`` old; None for any other text.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        now = self.clock.now()
        try:
            claims = self.tokens.verify_wallet_session(token, now=now)
        except TokenRefused:
            return None
        session = await self._known.get(claims.session_id, lambda: self._look_up(claims.session_id, now))
        return session if session is not None and now < session.expires_at else None

    def forget(self, session_id: UUID) -> None:
        """Drop a session from the cache: it was changed or revoked."""
        self._known.forget(session_id)

    def forget_all(self) -> None:
        """Drop all sessions from the cache: changes may have been missed."""
        self._known.clear()

    def forget_account(self, account_id: UUID) -> None:
        """Drop an account's sessions from the cache: its plan or its wallets changed."""
        self._known.forget_matching(lambda session: session is not None and session.account_id == account_id)

    async def _look_up(self, session_id: UUID, now: datetime) -> WalletSession | None:
        row = await self.store.row("auth/find_session", {"id": session_id, "now": now})
        if row is None:
            return None
        return WalletSession(
            session_id=row["id"],
            account_id=row["account_id"],
            wallets=tuple(row["wallets"]),
            contract_chains=row["contract_chains"],
            scopes=frozenset(row["scopes"]),
            plan=row["plan"],
            expires_at=row["expires_at"],
        )
