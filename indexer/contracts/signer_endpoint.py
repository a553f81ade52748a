"""The HTTP side of remote signers: one JSON-RPC request for each signature, over TLS that the settings describe."""

import json
import ssl
import time
from typing import Any, Self

import httpx

from indexer.contracts.signer import SignerKeyError, SignerUnavailable
from warehouse.breaker import PROBE_SECONDS
from warehouse.settings import EngineSettings

_ANSWER_BYTES = 64 * 1024


class SignerEndpoint:
    """A remote signer's URL, and the connections to it. Safe to use from several threads.

    Args:
        timeout_seconds: limit of one request, its whole answer included.
        probe: a method that asks for nothing secret, to see whether the signer answers.
    """

    def __init__(self, url: str, client: httpx.Client, *, timeout_seconds: float, probe: str) -> None:
        self._url = url
        self._client = client
        self._seconds = timeout_seconds
        self._probe = probe

    @classmethod
    def of(cls, settings: EngineSettings, url: str, *, probe: str) -> Self:
        """The endpoint at a URL, with the token, the certificates and the time limit of the settings. Contacts nothing.

        Raises:
            SignerKeyError: a certificate cannot be read.
        """
        token = settings.signer_token
        client = httpx.Client(
            headers={} if token is None else {"Authorization": f"Bearer {token.get_secret_value()}"},
            timeout=settings.signer_timeout_seconds,
            verify=_tls(settings),
            trust_env=False,  # no proxy of the environment sees statements
            follow_redirects=False,
        )
        return cls(url, client, timeout_seconds=settings.signer_timeout_seconds, probe=probe)

    def call(self, method: str, *params: str) -> Any:
        """The result of one request.

        Raises:
            SignerUnavailable: the signer did not answer in time, or refused.
        """
        until = time.monotonic() + self._seconds
        try:
            with self._client.stream("POST", self._url, json=_request(method, *params)) as response:
                content = b""
                for part in response.iter_bytes():
                    content += part
                    if len(content) > _ANSWER_BYTES:
                        raise SignerUnavailable("the remote signer's answer is too large")
                    if time.monotonic() > until:  # the client's own limit is for each part
                        raise SignerUnavailable("the remote signer's answer does not end")
        except httpx.HTTPError as error:
            raise SignerUnavailable(f"the remote signer does not answer: {type(error).__name__}") from error
        if response.status_code != httpx.codes.OK:
            raise SignerUnavailable(f"the remote signer answered with status {response.status_code}")
        try:
            answer = json.loads(content)
        except ValueError:
            raise SignerUnavailable("the remote signer's answer is not JSON") from None
        if not isinstance(answer, dict) or "result" not in answer:
            problem = answer.get("error") if isinstance(answer, dict) else None
            message = problem.get("message") if isinstance(problem, dict) else None
            raise SignerUnavailable(f"the remote signer refused: {message or 'no reason given'}")
        return answer["result"]

    def answers(self) -> bool:
        """Whether the signer answers anything, a refusal included."""
        try:
            response = self._client.post(self._url, json=_request(self._probe), timeout=PROBE_SECONDS)
        except httpx.HTTPError:
            return False
        return response.status_code < httpx.codes.INTERNAL_SERVER_ERROR

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def _request(method: str, *params: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)}


def _tls(settings: EngineSettings) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=settings.signer_ca)
        if settings.signer_certificate is not None:
            context.load_cert_chain(settings.signer_certificate, settings.signer_certificate_key)
    except (OSError, ssl.SSLError) as error:
        raise SignerKeyError(f"certificates of the remote signer: {error}") from error
    return context
