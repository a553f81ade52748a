"""What a request to a node's URL carries: its target and headers."""

import base64
from urllib.parse import urlsplit


def request_target(url: str) -> str:
    """Path and query of the request line."""
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def request_headers(url: str) -> dict[str, str]:
    """Headers of every request. Remote nodes may compress; credentials are those of the URL."""
    parts = urlsplit(url)
    local = parts.hostname in ("127.0.0.1", "localhost", "::1")
    headers = {
        "Content-Type": "application/json",
        "Accept-Encoding": "identity" if local else "gzip",
        "User-Agent": "regalia-indexer",
    }
    if parts.username is not None:
        pair = f"{parts.username}:{parts.password or ''}".encode()
        headers["Authorization"] = f"Basic {base64.b64encode(pair).decode()}"
    return headers
