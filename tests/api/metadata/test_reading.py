"""The documents that registrations name are fetched and shown."""

from datetime import timedelta
from typing import Any

from api.clock import Clock
from api.metadata.cids import cid_of, read_cid
from api.metadata.contents import Contents
from api.metadata.tasks import read_documents
from api.services import Services
from tests.factories.registrations import add_registration
from tests.fixtures.clocks import ManualClock
from tests.fixtures.ipfs_node import IpfsNodeDouble
from tests.fixtures.service import Serve, Service
from tests.fixtures.uploads import SITE, signed_in_uploader
from warehouse.postgres import Connection

DOCUMENT = b'{"displayName": "Pepe", "tiers": [{}, {}], "website": "javascript:alert(1)", "own": 1.5}'
CID = cid_of(DOCUMENT)
KEPT = {"displayName": "Pepe", "tiers": [{}, {}], "own": 1.5}
V0 = "QmT5NvUtoM5nWFfrQdVrFtvGfKFmG7AHE8P34isapyhCxX"


def work_of(service: Service, clock: Clock) -> tuple[Services, Contents]:
    services = Services.of(service.services.settings, clock=clock)
    services.store = service.services.store
    return services, services.contents


def documents(store: Connection) -> list[Any]:
    return [row["metadata"] for row in store.execute("SELECT metadata FROM registration ORDER BY token_id").fetchall()]


async def test_an_uploaded_document_applies_to_registrations_that_name_it(serve: Serve, store: Connection) -> None:
    read = read_cid(CID)
    assert read is not None
    names = [CID, read.encode("base36"), CID, cid_of(b"never uploaded"), "no.cid", ""]
    for number, name in enumerate(names, start=1):
        add_registration(store, token_id=number, metadata_cid=name)
    clock = ManualClock()
    async with serve(**SITE) as service:
        work, contents = work_of(service, clock)
        assert await read_documents(work, contents) == 0
        uploader = await signed_in_uploader(service)
        wholesome = DOCUMENT.replace(b"javascript:alert(1)", b"https://pepe.example")
        assert (await uploader.send(wholesome)).status_code == 200
        # A document with a member that the service would not take can only have come another way.
        await contents.put(CID, DOCUMENT)
        store.execute("DELETE FROM metadata_search WHERE cid = %s", [CID])
        assert await read_documents(work, contents) == 2
        assert documents(store) == [KEPT, None, KEPT, None, None, None]
        clock.advance(minutes=2)
        assert await read_documents(work, contents) == 1, "the name in another base was waited for"
        assert await read_documents(work, contents) == 0
        record = (await service.get("/registration/1", chain="base")).json()
        assert (record["identity"]["displayName"], record["tierCount"], record["metadataCid"]) == ("Pepe", 2, CID)


async def test_missing_content_is_retried_with_growing_intervals(serve: Serve, store: Connection) -> None:
    missing = cid_of(b'{"name":"late"}')
    add_registration(store, metadata_cid=missing)
    clock = ManualClock()
    async with serve(**SITE) as service:
        work, contents = work_of(service, clock)
        waits = []
        for _ in range(14):
            await read_documents(work, contents)
            row = store.execute("SELECT attempts, next_at, problem FROM metadata_search").fetchone()
            assert row is not None
            waits.append(row["next_at"] - clock.now())
            clock.moment = row["next_at"]
        assert (waits[0], waits[1], waits[-1]) == (timedelta(minutes=1), timedelta(minutes=2), timedelta(days=1))
        assert (row["attempts"], row["problem"]) == (14, "cid: was not found, or is too large")
        assert (await (await signed_in_uploader(service)).send(b'{"name":"late"}')).status_code == 200
        assert await read_documents(work, contents) == 1, "an upload is noticed at once"
        assert documents(store) == [{"name": "late"}]
        assert store.execute("SELECT count(*) FROM metadata_search").fetchone() == {"count": 0}


async def test_a_node_fetches_content_of_its_peers(serve: Serve, store: Connection, ipfs_node: IpfsNodeDouble) -> None:
    no_documents = [b"<html>", b'{"a":' + b" " * 70_000 + b"1}", b'{"name":"\\u0000"}']
    ipfs_node.elsewhere = {V0: DOCUMENT, **{cid_of(content): content for content in no_documents}}
    for number, cid in enumerate(ipfs_node.elsewhere, start=1):
        add_registration(store, token_id=number, metadata_cid=cid)
    async with serve(**SITE, ipfs_api_url=ipfs_node.url) as service:
        work, contents = work_of(service, ManualClock())
        assert await read_documents(work, contents) == 1
        await contents.close()
    assert documents(store) == [KEPT, None, None, None]
    waited = {row["cid"] for row in store.execute("SELECT cid FROM metadata_search").fetchall()}
    assert waited == {cid_of(content) for content in no_documents}
