"""Two API processes behind one address share nonces, sessions and keys; other clients can sign in."""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from api.auth import siwe
from api.auth.messages import SignIn
from api.ops.supervisor.ports import listening
from api.security.jwt import Tokens
from api.security.signing_keys import SigningKeys
from indexer.devchain.nodejs import find_node
from tests.fixtures.checkout import CHECKOUT
from tests.fixtures.processes import regalia, reserved_ports
from tests.fixtures.sign_in import SITE, authorized, iso_time, new_wallet, sign
from tests.fixtures.waiting import wait_until
from warehouse.engines import EngineUrls
from warehouse.postgres import Connection

pytestmark = pytest.mark.slow

CACHE_SECONDS = 0.5
APP = "studio/arcade"


@dataclass(frozen=True)
class Twins:
    """Two processes of one service. ``address`` is the first one's, and the public one."""

    address: str
    other: str
    data_dir: Path

    def rotate(self) -> str:
        """Rotate the signing keys as an operator does; the answer is the new key's name."""
        environment = {**os.environ, "REGALIA_DATA_DIR": str(self.data_dir)}
        command = [sys.executable, "-m", "api.cli", "signing-keys", "rotate"]
        done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
        return str(json.loads(done.stdout)["kid"])


@pytest.fixture
def twins(store_url: str, engines: EngineUrls, data_dir: Path) -> Iterator[Twins]:
    """Two processes on the test's store."""
    with contextlib.ExitStack() as stack:
        ports = stack.enter_context(reserved_ports(2))
        addresses = [f"http://127.0.0.1:{port}" for port in ports]
        for port in ports:
            # Started at the same moment on an empty data directory: they have to agree on the keys they make.
            process = regalia(
                "api", DATABASE_URL=store_url, CLICKHOUSE_URL=engines.clickhouse_url, DATA_DIR=str(data_dir),
                BASE_URL=addresses[0], SITE_URL=SITE, SESSION_CACHE_SECONDS=str(CACHE_SECONDS), PORT=str(port),
                ADMISSION_QUEUE_SECONDS="600",  # a slow machine must not shed the hundred attempts as overload
            )  # fmt: skip
            stack.enter_context(process)
        wait_until(lambda: all(map(listening, ports)), "two processes", 120)
        yield Twins(addresses[0], addresses[1], data_dir)


@dataclass(frozen=True)
class Client:
    """A client of both processes."""

    http: httpx.AsyncClient
    twins: Twins

    async def signed(self) -> dict[str, str]:
        """A signed message, ready to send; the first process issued its nonce."""
        nonce = (await self.http.get(f"{self.twins.address}/api/v2/auth/nonce")).json()["nonce"]
        wallet = new_wallet()
        text = siwe.write(
            SignIn(
                domain="crowns.example",
                address=wallet.address,
                uri=SITE,
                version="1",
                chain="1",
                nonce=nonce,
                issued_at=iso_time(datetime.now(UTC)),
            )
        )
        return {"message": text, "signature": sign(wallet, text)}

    async def login(self, address: str, body: dict[str, str]) -> httpx.Response:
        """Send one to a process."""
        return await self.http.post(f"{address}/api/v2/auth/login/siwe", json=body)

    async def session(self) -> dict[str, Any]:
        """A new session of the first process."""
        answer = await self.login(self.twins.address, await self.signed())
        assert answer.status_code == 200, answer.text
        body: dict[str, Any] = answer.json()
        return body

    async def status(self, address: str, token: str) -> int:
        """The status that a session gets."""
        return (await self.http.get(f"{address}/api/v2/auth/sessions", headers=authorized(token))).status_code

    async def kids(self, address: str) -> list[str]:
        """Names of the published keys."""
        return [key["kid"] for key in (await self.http.get(f"{address}/api/v2/apps/jwks")).json()["keys"]]


async def test_two_processes_share_sessions_and_nonces(twins: Twins, store: Connection) -> None:
    limits = httpx.Limits(max_connections=100)
    async with httpx.AsyncClient(timeout=60, limits=limits) as http:
        client = Client(http, twins)
        both = (twins.address, twins.other)
        first_key = await client.kids(twins.address)
        assert await client.kids(twins.other) == first_key

        # One nonce, a hundred concurrent attempts over both processes.
        body = await client.signed()
        answers = await asyncio.gather(*(client.login(both[number % 2], body) for number in range(100)))
        assert sorted(answer.status_code for answer in answers) == [200] + [401] * 99
        assert store.execute("SELECT count(*) AS n FROM wallet_session").fetchone() == {"n": 1}

        # After a rotation both use the new key at once; tokens of the previous key stay valid.
        old = await client.session()
        kid = twins.rotate()
        assert await client.kids(twins.address) == await client.kids(twins.other) == [kid, *first_key]
        new = await client.session()
        for token in (old["accessToken"], new["accessToken"]):
            assert [await client.status(address, token) for address in both] == [200, 200]

        # A session that ends in one ends in the other.
        headers = authorized(new["accessToken"])
        ended = await http.post(f"{twins.address}/api/v2/auth/logout", headers=headers)
        assert ended.status_code == 200
        assert await client.status(twins.address, new["accessToken"]) == 401
        await asyncio.sleep(CACHE_SECONDS)
        assert await client.status(twins.other, new["accessToken"]) == 401
        assert await client.status(twins.other, old["accessToken"]) == 200

        # The example in the documentation.
        example = [sys.executable, str(CHECKOUT / "docs" / "examples" / "sign_in.py"), "--api", twins.other]
        wallet = ["--site", SITE, "--private-key", new_wallet().key.to_0x_hex()]
        printed = await asyncio.to_thread(subprocess.check_output, [*example, *wallet], text=True)
        assert await client.status(twins.address, printed.strip()) == 200

        await _others_clients_agree(twins)


async def _others_clients_agree(twins: Twins) -> None:
    program = find_node()
    if program is None:
        return
    tokens = Tokens(SigningKeys(twins.data_dir), issuer=SITE, audience=twins.address)
    app_token = tokens.issue_app_session("0x" + "1b" * 20, APP, now=datetime.now(UTC))
    script = CHECKOUT / "tests" / "fixtures" / "clients" / "sign_in.mjs"
    done = await asyncio.create_subprocess_exec(
        program, script, twins.address, SITE, app_token, APP, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    output, errors = await done.communicate()
    assert done.returncode == 0, errors.decode()
    found = json.loads(output)
    first, second, solana = found["wallets"]
    assert found["bySiwe"]["wallets"] == [first]
    assert found["byViem"]["wallets"] == [first, second]
    assert found["byViem"]["sessionId"] == found["bySiwe"]["sessionId"]
    assert found["bySolana"]["wallets"] == [solana]
    assert found["solanaOutputHolds"] is True
    session = found["session"]
    assert (session["typ"], session["sub"]) == ("wallet-session+v1", first.lower())
    assert session["wallets"] == [first.lower(), second.lower()]
    assert session["scope"] == "api:read api:write"
    assert (found["header"]["alg"], found["header"]["typ"]) == ("EdDSA", "JWT")
    assert (found["app"]["typ"], found["app"]["sub"]) == ("app-session+v1", "0x" + "1b" * 20)
