"""Contents in an IPFS node of the operator's, over Kubo's RPC interface.

The node's answers are verified: added content must have the CID that was computed here, and content that it returns
must match its CID where that can be computed. The address is the operator's own, so it may be a private one.
"""

import asyncio
import json
import logging
from typing import Any

import httpx
from multiformats import CID

from api.metadata.cids import CHUNK_BYTES, has_content, read_cid
from api.metadata.contents import ContentsDown, ContentsWrong

LOG = logging.getLogger(__name__)
_ANSWER_BYTES = 64 * 1024
_CONNECTIONS = 16
# Said by name, since the defaults are the operator's to change.
_ADD = {
    "cid-version": "1",
    "raw-leaves": "true",
    "hash": "sha2-256",
    "chunker": f"size-{CHUNK_BYTES}",
    "trickle": "false",
    "wrap-with-directory": "false",
    "pin": "true",
    "progress": "false",
}
# How a node words that it has not got something, as opposed to not working.
_ABSENT = ("not found", "could not find", "no link named", "is a directory")


class IpfsNode:
    """A node by the address of its RPC interface.

    Args:
        url: such as ``http://127.0.0.1:5001``; a name and password in it are sent as basic authorisation.
        timeout_seconds: for one question as a whole.
    """

    def __init__(self, url: str, *, timeout_seconds: float) -> None:
        self.timeout_seconds = timeout_seconds
        address = httpx.URL(url.rstrip("/") + "/api/v0/")
        self._client = httpx.AsyncClient(
            # Clients log the addresses they ask: without the password.
            base_url=address.copy_with(userinfo=b""),
            auth=(address.username, address.password) if address.userinfo else None,
            timeout=timeout_seconds,
            limits=httpx.Limits(max_connections=_CONNECTIONS),
            trust_env=False,
        )

    async def put(self, cid: str, data: bytes) -> None:
        """See :class:`api.metadata.contents.Contents`. The node pins it; adding it again changes nothing."""
        status, body = await self._ask("add", _ADD, _ANSWER_BYTES, file=data)
        if status != 200:
            raise self._down(f"add: HTTP {status}: {_words(body)}")
        # One JSON object a line; the last one is about the file as a whole, unless it tells of an error.
        last = _last_object(body)
        named = read_cid(str(last.get("Hash", "")))
        if named is None:
            raise self._down(f"add: no name was answered: {_words(body)}")
        if str(named) != cid:
            LOG.error("the IPFS node named %s what is %s; look at its version and its Import settings", named, cid)
            raise ContentsWrong("the IPFS node added other content than it was sent")

    async def get(self, cid: CID, max_bytes: int, *, anywhere: bool = False) -> bytes | None:
        """See :class:`api.metadata.contents.Contents`. Without ``anywhere`` the node is not to ask its network."""
        parameters = {"arg": str(cid), "length": str(max_bytes + 1), "offline": "false" if anywhere else "true"}
        status, body = await self._ask("cat", parameters, max_bytes + _ANSWER_BYTES)
        if status == 200:
            if len(body) > max_bytes:
                return None
            # An answer that broke off looks like any other; for one that is cut otherwise the node's word is taken.
            return None if await asyncio.to_thread(has_content, cid, body) is False else body
        if status == 500 and any(words in _words(body).lower() for words in _ABSENT):
            return None
        raise self._down(f"cat: HTTP {status}: {_words(body)}")

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _ask(
        self, command: str, parameters: dict[str, str], max_bytes: int, *, file: bytes | None = None
    ) -> tuple[int, bytes]:
        files = None if file is None else {"file": ("content", file, "application/octet-stream")}
        body = bytearray()
        try:
            async with (
                asyncio.timeout(self.timeout_seconds),
                self._client.stream("POST", command, params=parameters, files=files) as response,
            ):
                async for part in response.aiter_raw():
                    body += part
                    if len(body) > max_bytes:
                        break
                return response.status_code, bytes(body)
        except (httpx.HTTPError, TimeoutError) as error:
            raise self._down(f"{command}: {type(error).__name__}") from error

    def _down(self, problem: str) -> ContentsDown:
        # Do not show its address: it may contain a password.
        LOG.warning("the IPFS node cannot be used: %s", problem)
        return ContentsDown(problem)


def _last_object(body: bytes) -> dict[str, Any]:
    for line in reversed(body.splitlines()):
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if isinstance(found, dict):
            return found
    return {}


def _words(body: bytes) -> str:
    """What the node says is wrong."""
    return str(_last_object(body).get("Message") or body[:200].decode("utf-8", "replace"))
