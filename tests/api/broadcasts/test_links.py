"""Links and images, however they are written."""

import base64

import pytest

from api.broadcasts.links import Blocklist, hosts_in, is_permanent

CID = "bafkreihe4hlilmerevb4o5g7xhoe35r4vdjmmtiwwkryhdnjdznkucwkbi"
ARWEAVE = "a" * 42 + "Q"
SANDBOX = base64.b32encode(base64.urlsafe_b64decode(f"{ARWEAVE}=")).decode().rstrip("=").lower()
LIST = Blocklist(["evil.example", "bücher.example", "claim.example"])


@pytest.mark.parametrize(
    "text",
    [
        "https://evil.example", "HTTPS://EVIL.EXAMPLE/x", "http:\\\\evil.example\\x", "https:/evil.example",
        "https://user@evil.example:8443/", "https://a.b.evil.example.", "go to evil.example!", "(evil.example/x)",
        "https://evil。example", "ｅｖｉｌ.example", "https://xn--bcher-kva.example", "https://bücher.example",
        "https://сlaim.example", "javascript://evil.example/%0a",
    ],
)  # fmt: skip
def test_a_blocked_domain_is_found(text: str) -> None:
    assert any(LIST.blocked(host) for host in hosts_in(text)), list(hosts_in(text))


@pytest.mark.parametrize("text", ["https://notevil.example", "evil.example.org", "e.g. v2.live", "me@pepe.example"])
def test_others_pass(text: str) -> None:
    assert not [host for host in hosts_in(text) if LIST.blocked(host)]


@pytest.mark.parametrize(
    ("url", "permanent"),
    [
        (f"https://ipfs.io/ipfs/{CID}", True),
        (f"https://{CID}.ipfs.dweb.link/a.png", True),
        (f"https://arweave.net/{'a' * 43}", True),
        (f"http://ipfs.io/ipfs/{CID}", False),
        ("https://ipfs.io/ipfs/../logo.png", False),
        (f"https://ipfs.io.evil.example/ipfs/{CID}", False),
        (f"https://x@ipfs.io/ipfs/{CID}", False),
        (f"https://evil.{CID}.ipfs.dweb.link/", False),
        ("https://arweave.net/graphql", False),
        (f"https://ipfs.io:8080/ipfs/{CID}", False),
        ("https://[", False),
        (f"https://ipfs.io/ipfs/{CID}/../../ipns/evil.example/logo.png", False),
        (f"https://ipfs.io/ipfs/{CID}/%2e%2E/%2e%2e/ipns/evil.example", False),
        (f"https://ipfs.io/ipfs/{CID}\\..\\..\\ipns\\evil.example", False),
        (f"https://ipfs.io/ipns/{CID}", False),
        (f"https://{CID}.ipns.dweb.link/", False),
        (f"https://arweave.net/{ARWEAVE}/../graphql", False),
        (f"https://evil.example\\.arweave.net/{ARWEAVE}", False),
        (f"https://frogs.arweave.net/{ARWEAVE}", False),
        (f"https://{SANDBOX}.arweave.net/{ARWEAVE}", True),
        (f"https://{SANDBOX}.frogs.arweave.net/{ARWEAVE}", False),
        (f"https://10.0.0.1/ipfs/{CID}", False),
        (f"https://{CID}.ipfs.localhost/", False),
    ],
)
def test_images_lie_on_ipfs_or_arweave(url: str, permanent: bool) -> None:
    assert is_permanent(url) is permanent
