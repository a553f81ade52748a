"""Contents in an IPFS node, asked over HTTP."""

from collections.abc import AsyncIterator

import pytest
from pydantic import ValidationError

from api.metadata.cids import cid_of
from api.settings import ApiSettings
from tests.fixtures.ipfs_node import IpfsNodeDouble
from tests.fixtures.service import Serve
from tests.fixtures.uploads import SITE, Uploader, picture, signed_in_uploader
from warehouse.postgres import Connection

DOCUMENT = b'{"name":"Pepe"}'
CID = cid_of(DOCUMENT)


def test_a_nodes_address_must_be_http() -> None:
    for url in ("/ip4/127.0.0.1/tcp/5001", "127.0.0.1:5001", "http://"):
        with pytest.raises(ValidationError, match="http:// or https://"):
            ApiSettings(ipfs_api_url=url)  # type: ignore[arg-type]


@pytest.fixture
async def at_node(serve: Serve, ipfs_node: IpfsNodeDouble) -> AsyncIterator[Uploader]:
    """A wallet at a service whose contents are in the node."""
    async with serve(**SITE, ipfs_api_url=ipfs_node.url, ipfs_timeout_seconds=20) as service:
        yield await signed_in_uploader(service)


async def test_the_node_stores_and_returns_uploads(at_node: Uploader, ipfs_node: IpfsNodeDouble) -> None:
    large = picture("PNG", (400, 300), compress_level=0)
    for content, kind in ((DOCUMENT, "application/json"), (large, "image/png")):
        sent = await at_node.send(content, kind)
        assert sent.status_code == 200, sent.text
        served = await at_node.read(sent.json()["cid"])
        assert (served.status_code, served.content, served.headers["content-type"]) == (200, content, kind)
    assert ipfs_node.kept == {CID: DOCUMENT, cid_of(large): large}
    command, parameters = ipfs_node.asked[0]
    assert command == "add"
    assert parameters.items() >= {"cid-version": "1", "raw-leaves": "true", "pin": "true"}.items()
    assert set(ipfs_node.authorisations) == {"Basic b3BlcmF0b3I6c2VjcmV0"}

    private = b'{"name":"nobody uploaded this here"}'
    ipfs_node.kept[cid_of(private)] = private
    assert (await at_node.read(cid_of(private))).status_code == 404, "what else the node keeps is not published"
    ipfs_node.kept[CID] = DOCUMENT[:-1]
    assert (await at_node.read(CID)).status_code == 404, "what does not fit its name is not served"


async def test_a_node_that_returns_another_cid_is_refused(
    at_node: Uploader, ipfs_node: IpfsNodeDouble, store: Connection
) -> None:
    ipfs_node.wrong_name = cid_of(b"something else")
    answer = await at_node.send(DOCUMENT)
    assert (answer.status_code, answer.json()["code"]) == (502, "BAD_GATEWAY")
    assert "other content" in answer.json()["error"]
    assert (await at_node.read(CID)).status_code == 404
    assert store.execute("SELECT count(*) FROM metadata_upload").fetchone() == {"count": 0}


async def test_a_node_that_is_down_is_503_and_loses_nothing(
    at_node: Uploader, ipfs_node: IpfsNodeDouble, store: Connection
) -> None:
    node = at_node.service.services.metadata.contents
    assert (await at_node.send(DOCUMENT)).status_code == 200
    for failure, delay in (((500, "the disk is full"), 0.0), ((403, "no"), 0.0), (None, 0.3)):
        ipfs_node.failure, ipfs_node.delay_seconds = failure, delay
        node.timeout_seconds = 0.1 if delay else 20
        for answer in (await at_node.send(b'{"name":"Frog"}'), await at_node.read(CID)):
            assert (answer.status_code, answer.headers["retry-after"]) == (503, "5"), answer.text
            assert "secret" not in answer.text
    assert store.execute("SELECT count(*) FROM metadata_upload").fetchone() == {"count": 1}
    ipfs_node.delay_seconds, node.timeout_seconds = 0.0, 20
    assert (await at_node.send(b'{"name":"Frog"}')).status_code == 200
    assert (await at_node.read(CID)).status_code == 200
