"""Wallet libraries of others take the transaction of a Solana claim apart, sign it and send it."""

import asyncio
import base64
import json
import os
import struct
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from indexer.contracts.solana import idl, program
from indexer.contracts.solana.statements import ED25519_PROGRAM, Domain, signed
from indexer.devchain.nodejs import find_node
from tests.fixtures.checkout import CHECKOUT
from tests.fixtures.http_server import serving_http
from tests.fixtures.service import Service
from tests.fixtures.solana_claims import SolanaClaims, build

pytestmark = pytest.mark.slow

EXAMPLE = CHECKOUT / "docs" / "examples" / "claim_solana.mjs"
LIBRARIES = Path(__file__).with_name("solana_claim.mjs")


@dataclass
class Place:
    """The service over HTTP, and a wallet with a token to claim."""

    claims: SolanaClaims
    service: Service
    address: str
    wallet: Keypair
    mint: str
    symbol: str = "CLAM"

    async def registration(self) -> dict[str, Any]:
        response = await self.service.get(f"/registration/{self.symbol}/solana")
        assert response.status_code == 200, response.text
        found: dict[str, Any] = response.json()
        return found


@pytest.fixture
async def place(solana_claims: SolanaClaims, solana_service: Service) -> AsyncIterator[Place]:
    wallet, mint = solana_claims.claimable("CLAM")
    async with serving_http(solana_service.app) as address:
        yield Place(solana_claims, solana_service, address, wallet, mint)


async def test_web3js_and_kit_read_what_the_answer_says_and_kit_sends_it(place: Place) -> None:
    response = await build(place.service, place.wallet, place.mint, place.symbol)
    assert response.status_code == 200, response.text
    built = response.json()
    given = {
        "transaction": built["transaction"],
        "rpc": place.claims.node.url,
        "mint": place.mint,
        "secretKey": list(bytes(place.wallet)),
    }
    said = json.loads(await _node(LIBRARIES, given=json.dumps(given)))
    assert said["web3"] == said["kit"]
    assert said["simulated"]
    assert said["mintAuthority"] == str(place.wallet.pubkey())
    _require_claim(place, built, said["web3"])
    place.claims.node.mine()
    status = (await place.service.get(f"/claim/solana/status/{place.symbol}")).json()
    assert (status["status"], status["signature"]) == ("confirmed", said["signature"])
    assert (await place.registration())["owner"] == str(place.wallet.pubkey())


def _require_claim(place: Place, built: dict[str, Any], read: dict[str, Any]) -> None:
    """The transaction is the authorisation's check and the claim, byte by byte, and nothing else."""
    claims, claimer = place.claims, place.wallet.pubkey()
    assert (read["version"], read["payer"], read["blockhash"]) == (0, str(claimer), built["blockhash"])
    assert read["signatures"] == [True]
    proof, claim = read["instructions"]
    fee, deadline, nonce = struct.unpack_from("<QqQ", bytes.fromhex(claim["data"]), 1)
    arguments = {"fee": fee, "deadline": deadline, "nonce": nonce, "symbol": place.symbol}
    assert (fee, deadline) == (built["costs"]["registrationFee"], built["expiresAt"])
    crown = program.crown_address(claims.registry, place.symbol)
    assert built["crownPda"] == str(crown)
    accounts = {
        "claimer": claimer,
        "config": program.config_address(claims.registry),
        "crown": crown,
        "treasury": claims.treasury,
        "mint": Pubkey.from_string(place.mint),
    }
    expected = idl.instruction(claims.registry, "claim", accounts, arguments)
    assert claim["program"] == str(claims.registry)
    assert bytes.fromhex(claim["data"]) == expected.data
    assert [account[0] for account in claim["accounts"]] == [str(one.pubkey) for one in expected.accounts]
    assert [account[0] for account in claim["accounts"] if account[1]] == [str(claimer)]
    domain = Domain(bytes(Pubkey.from_string(claims.node.genesis_hash)), claims.registry)
    statement = domain.claim(claimer, accounts["mint"], place.symbol, fee=fee, deadline=deadline, nonce=nonce)
    authorised = signed(statement, claims.signer.pubkey(), bytes(claims.signer.sign_message(statement)))
    assert (proof["program"], proof["accounts"]) == (str(ED25519_PROGRAM), [])
    assert bytes.fromhex(proof["data"]) == authorised.data


async def test_the_example_claims_with_web3js(place: Place) -> None:
    place.claims.node.resume()
    try:
        printed = await _node(EXAMPLE, *_arguments(place), CLAIM_SECRET_KEY=str(place.wallet))
    finally:
        place.claims.node.pause()
    found = await place.registration()
    assert found["owner"] == str(place.wallet.pubkey())
    assert f"registration {found['tokenId']} is owned by {found['owner']}" in printed
    assert "confirmed in slot" in printed


async def test_the_example_stops_at_a_transaction_of_another_mint(place: Place) -> None:
    """As a service that was taken over would answer."""
    other = place.claims.mint(place.symbol, place.wallet)
    tampered = await build(place.service, place.wallet, place.mint, place.symbol)

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
        await send({"type": "http.response.body", "body": tampered.content})

    async with serving_http(answer) as address:
        arguments = _arguments(Place(place.claims, place.service, address, place.wallet, other))
        with pytest.raises(AssertionError, match="do not sign: it does not hold that it is for this mint"):
            await _node(EXAMPLE, *arguments, CLAIM_SECRET_KEY=str(place.wallet))


@pytest.mark.parametrize(
    ("named", "complaint"),
    [("registry", "the second calls the registry"), ("system", "it names no other program")],
)
async def test_the_example_stops_at_another_program(place: Place, named: str, complaint: str) -> None:
    """As a service that was taken over would name one of its own, which takes what the wallet holds."""
    built = (await build(place.service, place.wallet, place.mint, place.symbol)).json()
    theirs = {"registry": bytes(place.claims.registry), "system": bytes(Pubkey.default())}[named]
    raw = base64.b64decode(built["transaction"])
    assert theirs in raw
    # Only the account list: the empty signature is of zeros, as the address of the system program is.
    head, body = raw[:65], raw[65:]
    changed = head + body.replace(theirs, bytes(Keypair().pubkey()))
    tampered = json.dumps({**built, "transaction": base64.b64encode(changed).decode()}).encode()

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
        await send({"type": "http.response.body", "body": tampered})

    async with serving_http(answer) as address:
        arguments = _arguments(Place(place.claims, place.service, address, place.wallet, place.mint))
        with pytest.raises(AssertionError, match=complaint):
            await _node(EXAMPLE, *arguments, CLAIM_SECRET_KEY=str(place.wallet))


def _arguments(place: Place) -> list[str]:
    given = {
        "api": place.address,
        "api-key": place.service.key,
        "rpc": place.claims.node.url,
        "registry": str(place.claims.registry),
        "symbol": place.symbol,
        "mint": place.mint,
    }
    return [word for name, value in given.items() for word in (f"--{name}", value)]


async def _node(script: Path, *arguments: str, given: str = "", **settings: str) -> str:
    """Run a script; what it prints."""
    node = find_node()
    assert node is not None, "Node.js is not installed: run `make install`"
    process = await asyncio.create_subprocess_exec(
        node, str(script), *arguments,
        env={**os.environ, **settings}, stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    output, errors = await process.communicate(given.encode())
    assert process.returncode == 0, errors.decode()
    return output.decode()
