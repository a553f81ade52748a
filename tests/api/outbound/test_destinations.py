"""The URLs and addresses that users may name."""

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.outbound.destinations import UrlRefused, is_loopback, is_public, parse_networks, validate_url


@pytest.mark.parametrize(
    ("url", "host", "port"),
    [
        ("https://example.com", "example.com", 443),
        ("https://Hooks.Example.COM./in?a=1&b=%20", "hooks.example.com", 443),
        ("HTTPS://example.com:8443/", "example.com", 8443),
        ("https://example.com:/x", "example.com", 443),
        ("https://xn--bcher-kva.example.com/", "xn--bcher-kva.example.com", 443),
        ("https://my_app.example.com", "my_app.example.com", 443),
        ("https://8.8.8.8/", "8.8.8.8", 443),
        ("https://[2606:4700:0::1111]/", "2606:4700::1111", 443),
        ("https://example.com?only=query", "example.com", 443),
        ("https://local.example.com/", "local.example.com", 443),
    ],
)
def test_public_https_addresses_are_accepted(url: str, host: str, port: int) -> None:
    destination = validate_url(url)
    assert (destination.host, destination.port, destination.loopback) == (host, port, False)
    assert (destination.url.raw_host, destination.url.port, destination.url.scheme) == (host, port, "https")


def test_path_and_query_are_kept_verbatim() -> None:
    destination = validate_url("https://example.com/a%2Fb/../c;d=1?x=%41&y=a+b")
    assert destination.url.raw_path_qs == "/a%2Fb/../c;d=1?x=%41&y=a+b"
    assert validate_url("https://example.com?x=1").url.raw_path_qs == "/?x=1"


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("", "absolute URL"),
        ("example.com/path", "absolute URL"),
        ("//example.com", "absolute URL"),
        ("https:example.com", "absolute URL"),
        ("http://example.com", "https://"),
        ("ftp://example.com", "https://"),
        ("file:///etc/passwd", "not a valid name"),
        ("gopher://example.com", "https://"),
        ("https://user@example.com", "user name"),
        ("https://user:secret@example.com", "user name"),
        ("https://example.com@127.0.0.1/", "user name"),
        ("https://example.com/#part", "fragment"),
        ("https://example.com#@127.0.0.1/", "fragment"),
        ("https://example.com\\@127.0.0.1/", "percent-encoded"),
        ("https://exa mple.com", "percent-encoded"),
        (" https://example.com", "percent-encoded"),
        ("https://example.com\r\nX: 1", "percent-encoded"),
        ("https://example.com/\u00e9", "percent-encoded"),
        ("https://b\u00fccher.de", "ASCII"),
        ("https://example.com/%zz", "percent-encoded"),
        ("https://ex%61mple.com", "not a valid name"),
        ("https://example..com", "not a valid name"),
        ("https://-example.com", "not a valid name"),
        ("https://", "not a valid name"),
        ("https://:443", "not a valid name"),
        (f"https://{'a' * 64}.com", "not a valid name"),
        (f"https://example.com/{'a' * 2048}", "at most 2048"),
        ("https://example.com:99999999", "cannot be read"),
        ("https://example.com:70000", "does not exist"),
        ("https://example.com:0", "must use port"),
        ("https://example.com:22", "must use port"),
        ("https://example.com:25", "must use port"),
        ("https://example.com:80", "must use port"),
        ("https://example.com:6667", "must use port"),
        ("https://example.com:+443", "cannot be read"),
        ("https://example.com:443:443", "cannot be read"),
        ("https://localhost", "public Internet"),
        ("https://LOCALHOST.", "public Internet"),
        ("https://api.localhost", "public Internet"),
        ("https://printer.local", "public Internet"),
        ("https://metadata.google.internal", "public Internet"),
        ("https://router.home.arpa", "public Internet"),
        ("https://intranet", "public Internet"),
        ("https://127.0.0.1", "public address"),
        ("https://10.1.2.3", "public address"),
        ("https://169.254.169.254/latest/meta-data", "public address"),
        ("https://127.0.0.1.", "public address"),
        ("https://2130706433", "four decimal numbers"),
        ("https://127.1", "four decimal numbers"),
        ("https://0177.0.0.1", "four decimal numbers"),
        ("https://0x7f.0.0.1", "four decimal numbers"),
        ("https://0x7f000001", "four decimal numbers"),
        ("https://127.0.0.0x1", "four decimal numbers"),
        ("https://1.1.1.1.1", "four decimal numbers"),
        ("https://example.0x", "four decimal numbers"),
        ("https://256.0.0.1", "four decimal numbers"),
        ("https://[::1]", "public address"),
        ("https://[::]", "public address"),
        ("https://[::ffff:127.0.0.1]", "public address"),
        ("https://[::ffff:8.8.8.8]", "public address"),
        ("https://[64:ff9b::808:808]", "public address"),
        ("https://[fe80::1%25eth0]", "zone"),
        ("https://[v1.x]", "not an IPv6 address"),
        ("https://[8.8.8.8]", "not an IPv6 address"),
        ("https://[::1", "cannot be read"),
        ("https://[::1]x", "cannot be read"),
    ],
)
def test_an_invalid_url_names_the_problem(url: str, problem: str) -> None:
    with pytest.raises(UrlRefused, match=problem):
        validate_url(url)


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0",
        "0.1.2.3",
        "10.255.0.1",
        "100.64.0.1",
        "100.127.255.254",
        "127.0.0.1",
        "127.255.255.254",
        "168.63.129.16",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.8",
        "192.0.0.192",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.1.1",
        "198.18.0.1",
        "198.19.255.255",
        "198.51.100.7",
        "203.0.113.7",
        "224.0.0.1",
        "239.255.255.255",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::7f00:1",
        "::8.8.8.8",
        "::ffff:7f00:1",
        "::ffff:8.8.8.8",
        "::ffff:0:808:808",
        "64:ff9b::7f00:1",
        "64:ff9b::808:808",
        "64:ff9b:1::1",
        "100::1",
        "2001::1",
        "2001:0:4136:e378:8000:63bf:3fff:fdd2",
        "2001:2::1",
        "2001:10::1",
        "2001:20::1",
        "2001:db8::1",
        "2002:7f00:1::1",
        "2002:808:808::1",
        "3fff::1",
        "4000::1",
        "5f00::1",
        "fc00::1",
        "fd00:ec2::254",
        "fe80::1",
        "fec0::1",
        "ff02::1",
        "ff0e::1",
        "2a00:1450:4001::5efe:a00:1",
        "2a00:1450:4001:0:200:5efe:a00:1",
    ],
)
def test_addresses_that_are_not_public_are_refused(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize(
    "address",
    [
        "1.1.1.1",
        "8.8.8.8",
        "11.0.0.1",
        "100.63.255.255",
        "100.128.0.1",
        "126.255.255.255",
        "128.0.0.1",
        "169.253.255.255",
        "172.15.0.1",
        "172.32.0.1",
        "192.0.1.1",
        "192.167.0.1",
        "198.17.0.1",
        "198.20.0.1",
        "223.255.255.255",
        "2001:200::1",
        "2001:4860:4860::8888",
        "2400:cb00::1",
        "2606:4700::1111",
        "2a00:1450:4001::1",
        "2003::1",
    ],
)
def test_public_addresses_are_allowed(address: str) -> None:
    assert is_public(ip_address(address))


@given(st.ip_addresses())
def test_private_addresses_of_the_standard_library_are_refused(address: IPv4Address | IPv6Address) -> None:
    if is_public(address):
        assert address.is_global
        special = ("private", "loopback", "link_local", "multicast", "reserved", "unspecified")
        assert [name for name in special if getattr(address, f"is_{name}")] == []


@given(st.one_of(st.text(), st.from_regex(r"https?://[\[\]@:.0-9a-fx%A-Z/#?\\-]{0,40}", fullmatch=True)))
def test_any_text_is_accepted_or_refused(text: str) -> None:
    for allow_loopback in (False, True):
        try:
            destination = validate_url(text, allow_loopback=allow_loopback)
        except UrlRefused:
            continue
        # The client parses the URL exactly as the check did.
        assert destination.url.raw_host == destination.host
        assert destination.url.port == destination.port
        assert destination.url.user is None
        assert destination.loopback or destination.url.scheme == "https"


@pytest.mark.parametrize(
    "url", ["http://localhost:3000/hook", "http://127.0.0.1:80/", "http://[::1]:9/", "https://localhost:8443"]
)
def test_the_setting_allows_loopback(url: str) -> None:
    assert validate_url(url, allow_loopback=True).loopback
    with pytest.raises(UrlRefused):
        validate_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com",
        "http://192.168.0.1",
        "https://192.168.0.1",
        "http://app.localhost",
        "http://[::ffff:127.0.0.1]",
        "http://2130706433",
        "https://example.com:22",
    ],
)
def test_the_setting_allows_loopback_and_nothing_else(url: str) -> None:
    with pytest.raises(UrlRefused):
        validate_url(url, allow_loopback=True)


def test_loopback_has_two_forms() -> None:
    assert is_loopback(ip_address("127.9.9.9"))
    assert is_loopback(ip_address("::1"))
    assert not is_loopback(ip_address("::ffff:127.0.0.1"))
    assert not is_loopback(ip_address("::1%lo"))
    assert not is_loopback(ip_address("0.0.0.0"))


def test_an_operator_can_refuse_more_networks() -> None:
    refused = parse_networks("203.1.0.0/16, 2a00:1450::/32")
    assert not is_public(ip_address("203.1.2.3"), refused)
    assert not is_public(ip_address("2a00:1450::1"), refused)
    assert is_public(ip_address("203.2.2.3"), refused)
    with pytest.raises(UrlRefused, match="public address"):
        validate_url("https://203.1.2.3", refused=refused)
    with pytest.raises(ValueError, match="10"):
        parse_networks("10.0.0.1/8")
