"""Uploads and reads of uploaded content."""

import asyncio
import io
from collections.abc import AsyncIterator
from pathlib import Path

from PIL import Image

from api.metadata.cids import cid_of, read_cid
from api.metadata.repository import Upload
from api.metadata.service import PUBLIC_PATH, contents_path
from tests.fixtures.service import Serve
from tests.fixtures.uploads import SITE, UPLOAD, Uploader, picture, signed_in_uploader
from warehouse.postgres import Connection

DOCUMENT = b'{ "name": "Pepe", "own": [1, {"a": "\xc3\xbc"}] }\n'
LARGE = picture("PNG", (400, 300), compress_level=0)
PICTURES = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}


async def test_a_document_is_served_unchanged_and_immutable(uploader: Uploader, data_dir: Path) -> None:
    answers = [await uploader.send(DOCUMENT), await uploader.send(DOCUMENT, "application/json; charset=utf-8")]
    cid = cid_of(DOCUMENT)
    for answer in answers:
        assert answer.status_code == 200, answer.text
        assert answer.json() == {
            "cid": cid, "uri": f"ipfs://{cid}", "url": f"{SITE['base_url']}{PUBLIC_PATH}/{cid}",
            "contentType": "application/json", "size": len(DOCUMENT),
        }  # fmt: skip
    assert len([path for path in contents_path(data_dir).rglob("*") if path.is_file()]) == 1

    served = await uploader.read(cid)
    assert (served.status_code, served.content) == (200, DOCUMENT)
    assert served.headers["content-type"] == "application/json"
    assert served.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert served.headers["x-content-type-options"] == "nosniff"
    assert served.headers["access-control-allow-origin"] == "*"
    assert "sandbox" in served.headers["content-security-policy"]
    etag = served.headers["etag"]
    head = await uploader.read(cid, "HEAD")
    assert (head.status_code, head.content, head.headers["content-length"]) == (200, b"", str(len(DOCUMENT)))
    same = await uploader.read(cid, **{"If-None-Match": etag})
    assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", etag)
    other_base = read_cid(cid)
    assert other_base is not None
    for base in ("base58btc", "base64url", "base64urlpad"):
        assert (await uploader.read(other_base.encode(base))).headers["etag"] == etag
    for unknown in (cid_of(b"nothing"), "bafy", "QmT5NvUtoM5nWFfrQdVrFtvGfKFmG7AHE8P34isapyhCxX", "..%5cincoming"):
        missing = await uploader.read(unknown)
        assert (missing.status_code, missing.headers["cache-control"]) == (404, "public, max-age=60")
        assert missing.json()["code"] == "not_found"
    assert (await uploader.read("..%2f..%2fkeys")).status_code == 404


async def test_content_other_than_the_expected_cid_is_not_stored(uploader: Uploader, data_dir: Path) -> None:
    named = await uploader.send(DOCUMENT, cid=cid_of(DOCUMENT))
    assert named.status_code == 200, named.text
    other = b'{"name": "Damaged"}'
    for cid, problem in (
        (cid_of(DOCUMENT), f"is not that of the content, which is {cid_of(other)}"),
        ("x", "is not a CID"),
    ):
        refused = await uploader.send(other, cid=cid)
        assert (refused.status_code, refused.json()["error"]) == (400, f"cid: {problem}")
    assert len([path for path in contents_path(data_dir).rglob("*") if path.is_file()]) == 1


async def test_image_formats_are_detected_from_their_bytes(uploader: Uploader) -> None:
    for format, kind in PICTURES.items():
        data = picture(format)
        sent = await uploader.send(data, kind)
        assert sent.status_code == 200, sent.text
        assert sent.json()["contentType"] == kind
        served = await uploader.read(sent.json()["cid"])
        assert (served.headers["content-type"], served.content) == (kind, data)
    assert len(LARGE) > 262_144
    large = (await uploader.send_form(file=("logo", LARGE, "application/octet-stream"))).json()
    assert (large["cid"], large["contentType"]) == (cid_of(LARGE), "image/png")
    assert large["cid"].startswith("bafybei")
    assert (await uploader.read(large["cid"])).content == LARGE
    assert (await uploader.send_form(file=("a.json", DOCUMENT, "application/json"))).json()["cid"] == cid_of(DOCUMENT)


async def test_a_refused_upload_names_the_rule(uploader: Uploader) -> None:
    png = picture("PNG")
    form = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n{}\r\n--x--\r\n'
    svg = b'<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'
    for content, declared, status, words in (
        (b"{}" + b" " * 70_000, "application/json", 413, "a document may have at most 65536"),
        (png[:-20], "image/png", 400, "body: the image is cut off"),
        (png, "image/jpeg", 415, "sent as image/jpeg, but its content is image/png"),
        (png, "application/json", 415, "but its content is image/png"),
        (DOCUMENT, "image/png", 415, "but its content is application/json"),
        (svg, "image/svg+xml", 415, "SVG is not accepted"),
        (svg, "application/octet-stream", 415, "SVG is not accepted"),
        (b"%PDF-1.7", "application/octet-stream", 415, "neither a JSON object nor an image"),
        (DOCUMENT, "text/html", 415, "Content-Type: must be"),
        (b"", "application/json", 400, "body: is empty"),
        (b"{", "application/json", 400, "body: cannot be read as JSON"),
        (b'{"website": "javascript:alert(1)"}', "application/json", 400, "website: must be a link"),
        (b"--x\r\n", "multipart/form-data; boundary=x", 400, "file"),
        (b"x", "multipart/form-data", 400, "body: cannot be read as a form"),
        (form, "multipart/form-data; boundary=x; charset=undefined", 400, "body: cannot be read as a form"),
    ):
        answer = await uploader.send(content, declared)
        assert (answer.status_code, words in answer.json()["error"]) == (status, True), (declared, answer.text)
    two = await uploader.send_form(file=("a", png), other=("b", png))
    assert (two.status_code, two.json()["code"]) == (400, "INVALID_REQUEST")
    assert (await uploader.send_form(picture=("a", png))).json()["error"] == "file: is required"

    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield bytes(65_536)

    client = uploader.service.anonymous
    headers = {"Authorization": f"Bearer {uploader.bearer}", "Content-Type": "image/png"}
    answer = await client.post(UPLOAD, content=endless(), headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (413, "PAYLOAD_TOO_LARGE")
    for bearer in ({}, {"Authorization": "Bearer not.a.token"}):
        refused = await client.post(UPLOAD, content=endless(), headers=bearer)
        assert (refused.status_code, refused.json()["code"]) == (401, "UNAUTHORIZED"), "before any of it is read"
    assert (await uploader.service.client.post(UPLOAD, content=DOCUMENT)).status_code == 401, "a key is not enough"


async def test_space_is_released_when_no_upload_is_in_progress(uploader: Uploader, store: Connection) -> None:
    repository = uploader.service.services.metadata.repository
    account = store.execute("SELECT account_id FROM wallet_session").fetchall()[0]["account_id"]

    def attempt(cid: str) -> Upload:
        return Upload(account, cid, "application/json", 60)

    for last in (0, 1):
        under_way = [attempt("same"), attempt("same")]
        assert [await repository.reserve(one, 100) for one in under_way] == [None, None]
        await repository.release(under_way.pop(1 - last))
        assert await repository.reserve(attempt("other"), 100) == 60, "the other one is still being written"
        await repository.release(under_way.pop())
        other = attempt("other")
        assert await repository.reserve(other, 100) is None
        await repository.release(other)

    kept, failed = attempt("same"), attempt("same")
    for one in (kept, failed):
        await repository.reserve(one, 100)
    await repository.note_stored(kept)
    await repository.release(failed)
    assert await repository.reserve(attempt("other"), 100) == 60, "what is kept stays"

    store.execute("UPDATE metadata_upload SET stored_at = NULL, attempts = ARRAY[uuidv7()], created_at = '2020-01-01'")
    await repository.reserve(again := attempt("same"), 100)
    await repository.release(again)
    assert await repository.reserve(attempt("other"), 100) is None, "a killed process holds nothing for long"


async def test_an_accounts_storage_is_limited(serve: Serve, store: Connection) -> None:
    documents = [b'{"n":%d}' % number for number in range(10, 16)]
    async with serve(**SITE, metadata_account_bytes=3 * len(documents[0])) as service:
        one, other = await signed_in_uploader(service), await signed_in_uploader(service)
        answers = await asyncio.gather(*(one.send(document) for document in documents))
        kept = [document for document, answer in zip(documents, answers, strict=True) if answer.status_code == 200]
        waited = {answer.status_code for answer in answers} - {200}
        assert waited <= {403, 429}
        for document in documents:
            kept += [document] if (await one.send(document)).status_code == 200 and document not in kept else []
        assert len(kept) == 3
        full = await one.send(b'{"n":99}')
        assert (full.status_code, full.json()["code"]) == (403, "METADATA_LIMIT")
        assert (full.json()["limitBytes"], full.json()["usedBytes"]) == (24, 24)
        assert (await one.send(kept[0])).status_code == 200, "what is there needs no room"
        assert (await other.send(kept[0])).status_code == 200, "the limit is each account's own"
        store.execute("UPDATE metadata_upload SET stored_at = NULL, created_at = now() - interval '1 hour'")
        assert (await one.send(b'{"n":99}')).status_code == 200, "what a killed process began does not count for long"


async def test_an_image_is_served_in_the_sizes_of_listings(uploader: Uploader) -> None:
    for format, kind in PICTURES.items():
        cid = (await uploader.send(picture(format, (400, 300)), kind)).json()["cid"]
        for size, expected in (("thumb", (25, 19)), ("small", (50, 38)), ("large", (250, 188))):
            served = await uploader.read(f"{cid}?size={size}")
            assert (served.status_code, served.headers["content-type"]) == (200, "image/png"), served.text
            assert Image.open(io.BytesIO(served.content)).size == expected
            assert served.headers["etag"] == f'"{cid}-{size}"'
            assert (await uploader.read(f"{cid}?size={size}", "HEAD")).content == b""


async def test_small_images_are_not_enlarged(uploader: Uploader) -> None:
    cid = (await uploader.send(picture("PNG", (20, 10)), "image/png")).json()["cid"]
    assert Image.open(io.BytesIO((await uploader.read(f"{cid}?size=large")).content)).size == (20, 10)


async def test_what_has_no_sizes_is_refused_naming_the_field(uploader: Uploader) -> None:
    document = (await uploader.send(DOCUMENT)).json()["cid"]
    large = (await uploader.send(picture("PNG", (2_049, 10)), "image/png")).json()["cid"]
    for path in (f"{document}?size=thumb", f"{large}?size=thumb", f"{large}?size=huge", f"{large}?size="):
        refused = await uploader.read(path)
        assert (refused.status_code, refused.json()["code"]) == (400, "invalid_request")
        assert refused.json()["message"].startswith("size: ")
