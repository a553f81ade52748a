"""The detached signature of the token list."""

import asyncio
import json
import subprocess
from pathlib import Path

from tests.factories.token_lists import add_listed, publish_and_read
from tests.fixtures.service import Service
from warehouse.postgres import Connection

ROOT = Path(__file__).resolve().parents[3]
HEADER = "X-JWS-Signature"
# Verifies a signature of a body; prints the protected header, or the name of the problem.
VERIFY = """
import { createLocalJWKSet, flattenedVerify } from 'jose'; import { readFileSync } from 'fs';
const { body, signature, jwks } = JSON.parse(readFileSync(0));
const [head, , tail] = signature.split('.');
const payload = Buffer.from(body).toString('base64url');
try {
  const found = await flattenedVerify({ protected: head, payload, signature: tail }, createLocalJWKSet(jwks));
  console.log(JSON.stringify(found.protectedHeader));
} catch (error) { console.log(JSON.stringify(error.code)); }
"""


async def verified(service: Service, body: str, signature: str) -> object:
    jwks = (await service.get("/apps/jwks")).json()
    done = await asyncio.to_thread(
        subprocess.run, ["node", "--input-type=module", "-e", VERIFY],
        input=json.dumps({"body": body, "signature": signature, "jwks": jwks}),
        capture_output=True, text=True, cwd=ROOT, check=True,
    )  # fmt: skip
    found: object = json.loads(done.stdout)
    return found


async def test_jose_verifies_the_signature_and_no_other_body(service: Service, store: Connection) -> None:
    for number in range(1, 20):
        add_listed(store, f"S{number}", number)
    await publish_and_read(store, service)
    answer = await service.client.get("/api/v2/tokenlist", headers={"Accept-Encoding": "gzip"})
    signature = answer.headers[HEADER]
    kid = (await service.get("/apps/jwks")).json()["keys"][0]["kid"]
    assert await verified(service, answer.text, signature) == {"alg": "EdDSA", "typ": "token-list+v1", "kid": kid}
    forged = answer.text.replace("S7", "S8")
    assert await verified(service, forged, signature) == "ERR_JWS_SIGNATURE_VERIFICATION_FAILED"


async def test_every_form_of_the_list_is_signed(service: Service, store: Connection) -> None:
    add_listed(store, "PEPE", 1)
    await publish_and_read(store, service)
    whole = await service.get("/tokenlist")
    filtered = await service.get("/tokenlist", symbol="NONE")
    owned = await service.get("/tokenlist/address/" + "0x" + f"{0xA11CE:040x}")
    again = await service.client.get("/api/v2/tokenlist", headers={"If-None-Match": whole.headers["etag"]})
    assert again.status_code == 304
    assert again.headers[HEADER] == whole.headers[HEADER]
    assert owned.content == whole.content
    assert owned.headers[HEADER] == whole.headers[HEADER]
    assert filtered.headers[HEADER] != whole.headers[HEADER]
    assert all(found.headers[HEADER].count("..") == 1 for found in (whole, filtered, owned))


async def test_a_list_is_signed_once_per_key(service: Service, store: Connection) -> None:
    add_listed(store, "PEPE", 1)
    await publish_and_read(store, service)
    first = (await service.get("/tokenlist")).headers[HEADER]
    made = service.services.token_list_signatures._made
    count = len(made)
    assert (await service.get("/tokenlist")).headers[HEADER] == first
    assert len(made) == count
    service.services.tokens.keys.rotate(service.services.clock.now())
    body = await service.get("/tokenlist")
    assert body.headers[HEADER] != first
    # Earlier signatures still verify: the previous key stays published.
    for signature in (first, body.headers[HEADER]):
        assert isinstance(await verified(service, body.text, signature), dict)
