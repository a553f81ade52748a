"""Reads the metadata documents that registrations refer to on chain.

A registration names a CID. The document is read from the contents stored here or, with an IPFS node, from its network.
Missing documents are retried at growing intervals; an upload is found at once. One statement adds the document to the
registrations that lack it; repeating it changes nothing.
"""

import asyncio
import logging
from datetime import timedelta

from procrastinate import JobContext

from api.metadata.cids import read_cid
from api.metadata.contents import Contents, ContentsDown
from api.metadata.documents import NotADocument, read_document, without_invalid_members
from api.metadata.local import LocalContents
from api.metadata.repository import MetadataRepository
from api.services import Services
from api.store.jobs import TASKS, services_of_job

LOG = logging.getLogger(__name__)
_NAME = "metadata.read_documents"
_AT_ONCE = 10
_FIRST_WAIT, _MAX_WAIT = timedelta(minutes=1), timedelta(days=1)


@TASKS.periodic(cron="* * * * * */20")
@TASKS.task(name=_NAME, pass_context=True, queueing_lock=_NAME, lock=_NAME)
async def read_documents_periodically(context: JobContext, timestamp: int) -> None:
    """Look for some of the missing documents, three times a minute."""
    services = services_of_job(context)
    contents = services.contents
    if isinstance(contents, LocalContents):
        await asyncio.to_thread(contents.sweep)
    await read_documents(services, contents)


async def read_documents(services: Services, contents: Contents) -> int:
    """Look once; returns how many registrations got a document."""
    repository = MetadataRepository(services.store)
    wanted = await repository.wanted(services.clock.now(), _AT_ONCE)
    return sum(
        await asyncio.gather(*(_settle(one.cid, one.attempts, repository, contents, services) for one in wanted))
    )


async def _settle(
    cid: str, attempts: int, repository: MetadataRepository, contents: Contents, services: Services
) -> int:
    """Look for one document; returns how many registrations got it."""
    try:
        filled = await repository.fill(cid, without_invalid_members(await _read(cid, contents, services)))
    except (NotADocument, ContentsDown) as error:
        wait = min(_MAX_WAIT, _FIRST_WAIT * 2 ** min(attempts, 12))
        await repository.try_later(cid, services.clock.now() + wait, str(error))
        return 0
    LOG.info("%s is the document of %d registrations", cid, filled)
    return filled


async def _read(text: str, contents: Contents, services: Services) -> dict[str, object]:
    cid = read_cid(text)
    if cid is None:
        raise NotADocument("cid", "is not a valid CID")
    data = await contents.get(cid, services.settings.metadata_document_bytes, anywhere=True)
    if data is None:
        raise NotADocument("cid", "was not found, or is too large")
    return read_document(data)
