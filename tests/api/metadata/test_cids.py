"""CIDs, held to published ones, and to those that the reference implementation of UnixFS gives: ipfs-unixfs-importer
17.1.1 of npm, with CIDv1, raw leaves, chunks of 262,144 bytes and 174 links a node."""

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from multiformats import CID

from api.metadata.cids import CHUNK_BYTES, MAX_LINKS, cid_of, has_content, read_cid

HELLO = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e"
KEPT = 20 * CHUNK_BYTES


def pattern(length: int) -> bytes:
    """Byte i is i * i + i / 256; it repeats after 65,536 bytes."""
    return (bytes((i * i + (i >> 8)) & 255 for i in range(65_536)) * (length // 65_536 + 1))[:length]


def test_known_contents_have_their_published_cids() -> None:
    assert cid_of(b"hello world") == HELLO
    assert cid_of(b"hello world\n") == "bafkreifjjcie6lypi6ny7amxnfftagclbuxndqonfipmb64f2km2devei4"
    assert cid_of(b"") == "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"


@pytest.mark.parametrize(
    ("length", "cid"),
    [
        (1, "bafkreidogqfzz75tpkmjzjke425xqcrmpcib2p5tg44hnbirumdbpl5adu"),
        (CHUNK_BYTES - 1, "bafkreidly3gntvv2u6poucgtwze72roilmdjvbjanfmfbhjfrisdeo4wwm"),
        (CHUNK_BYTES, "bafkreiastm6lammilphjskfl6kd2v5qvbbfir4sldyxhzupb46m4abm6oi"),
        (CHUNK_BYTES + 1, "bafybeibkevbzwrdjc2p7yq6lb2363zdqcq3vmvu4ctfqpzwjkanb73bfru"),
        (2 * CHUNK_BYTES - 1, "bafybeigwwv7fokw6vokgnnqm6dqoopyjecve6yl3l4tk5upzbcjvvf4he4"),
        (2 * CHUNK_BYTES, "bafybeibttk525u4wknw7gmzamyomxh2gfsap2khuh5yv6v5hx6c2x4jcl4"),
        (2 * CHUNK_BYTES + 1, "bafybeiaoshedaqbuppmcsypvo2rixqqbd27e3j2xg67pxdx6ebizx7p77u"),
        (1_000_000, "bafybeidz5quscgd4gp4juk6cifguwgwfok7w6ahvdhhbbuj5vkadhubij4"),
        (KEPT, "bafybeigf7viu2vr22ytcexlpdkggi4fgip2cdjkbk47ja55rptn3cmq7ge"),
    ],
)
def test_cids_of_one_and_many_blocks(length: int, cid: str) -> None:
    assert cid_of(pattern(length)) == cid


def test_a_root_has_at_most_174_links() -> None:
    full = bytes(MAX_LINKS * CHUNK_BYTES)
    assert cid_of(full) == "bafybeibxsa3ioclowpaq7b6gxl65gzqneopfr3fnhedak6sqr4bjz5lnyq"
    assert cid_of(full + b"\0") == "bafybeihqwzd3o6q6v3pmwhzjy22vokhr767burokmqemg63hptx2nqd7ym"


@settings(max_examples=30)
@given(
    chunks=st.integers(0, 3),
    around=st.integers(-2, 2),
    filling=st.binary(min_size=1, max_size=8),
    at=st.integers(min_value=0),
)
def test_a_cid_depends_on_the_content_only(chunks: int, around: int, filling: bytes, at: int) -> None:
    length = max(0, chunks * CHUNK_BYTES + around)
    data = (filling * (length // len(filling) + 1))[:length]
    cid = read_cid(cid_of(data))
    assert cid is not None
    assert cid.codec.name == ("raw" if length <= CHUNK_BYTES else "dag-pb")
    assert (cid.raw_digest == hashlib.sha256(data).digest()) == (length <= CHUNK_BYTES)
    assert has_content(cid, bytes(bytearray(data))) is True
    if data:
        at %= length
        changed = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        assert cid_of(changed) != str(cid)
        assert not has_content(cid, changed)


def test_every_encoding_of_a_cid_is_read() -> None:
    cid = CID.decode(HELLO)
    for base in ("base16", "base32upper", "base36", "base58btc"):
        assert str(read_cid(cid.encode(base))) == HELLO
    assert str(read_cid("QmT5NvUtoM5nWFfrQdVrFtvGfKFmG7AHE8P34isapyhCxX"))[:2] == "Qm"
    for text in (
        "",
        "b",
        "bafy",
        HELLO[:-1],
        HELLO + "a",
        "../" + HELLO,
        "é" * 59,
        "Qm" + "1" * 44,
        "z" * 500,
        "k" * 9,
    ):
        assert read_cid(text) is None, text
