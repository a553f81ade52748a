"""Domain names as people write them."""

import pytest

from api.domains.names import MAX_DOMAIN_LENGTH, read_domain
from api.http.errors import InvalidInput


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("pepe.example", "pepe.example"), ("PEPE.Example.", "pepe.example"), ("shop.pepe.co.uk", "shop.pepe.co.uk"),
        ("bücher.example", "xn--bcher-kva.example"), ("BÜCHER。example", "xn--bcher-kva.example"),
        ("xn--bcher-kva.example", "xn--bcher-kva.example"), ("faß.de", "xn--fa-hia.de"),
        ("pepe.github.io", "pepe.github.io"), ("ｐｅｐｅ.example", "pepe.example"),
    ],
)  # fmt: skip
def test_domains_are_normalised(written: str, kept: str) -> None:
    assert read_domain("domain", written) == kept


@pytest.mark.parametrize(
    "written",
    [
        "", ".", "example", "localhost", "pepe", "com", "co.uk", "github.io", "https://pepe.example", "pepe.example/a",
        "pepe.example:443", "*.pepe.example", "_dmarc.pepe.example", "pepe_x.example", "-pepe.example", "a..example",
        ".pepe.example", "pe pe.example", "pepe.example\n", "pe\x00pe.example", "127.0.0.1", "１２７.0.0.1", "127.1",
        "pepe.0x7f", "[::1]", "::1", "pepe.local", "pepe.internal", "pepe.onion", "1.0.0.127.in-addr.arpa",
        "xn--a.example", "ab--cd.example", "a" * 64 + ".example", "\ud800.example", "me@pepe.example",
        ".".join(["a" * 50] * 5), "\u200d.example", "a." * 126 + "example",
    ],
)  # fmt: skip
def test_domains_that_cannot_be_verified_are_refused(written: str) -> None:
    with pytest.raises(InvalidInput, match=r"^domain: "):
        read_domain("domain", written)


def test_the_longest_domain_leaves_room_for_its_record() -> None:
    longest = ("a" * 41 + ".") * 4 + "a" * (MAX_DOMAIN_LENGTH - 4 * 42 - 8) + ".example"
    assert len(read_domain("domain", longest)) == MAX_DOMAIN_LENGTH
    with pytest.raises(InvalidInput, match="211 characters"):
        read_domain("domain", "a" + longest)
