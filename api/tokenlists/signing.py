"""A token list's signature, beside the list: a detached JWS of the body's bytes (RFC 7515, appendix F)."""

import asyncio
from collections import OrderedDict

from api.http.conditional import Prepared
from api.security.jwt import Tokens

HEADER = "X-JWS-Signature"
KIND = "token-list+v1"
_KEPT = 512
_LONG = 64 * 1024
"""Larger bodies are signed in a thread, so that other requests do not wait."""


class Signatures:
    """Signatures of served bodies, each made once per key."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self._made: OrderedDict[tuple[str, str], str] = OrderedDict()

    async def of(self, prepared: Prepared) -> str:
        """The signature of a body before compression.

        Raises:
            SigningKeyError: the service's keys cannot be used.
        """
        name = (self.tokens.keys.current().current.kid, prepared.etag)
        found = self._made.get(name)
        if found is not None:
            self._made.move_to_end(name)
            return found
        if len(prepared.body) < _LONG:
            found = self.tokens.sign_detached(KIND, prepared.body)
        else:
            found = await asyncio.to_thread(self.tokens.sign_detached, KIND, prepared.body)
        self._made[name] = found
        while len(self._made) > _KEPT:
            self._made.popitem(last=False)
        return found
