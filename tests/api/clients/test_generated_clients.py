"""Clients generated from the running service's OpenAPI document, without a warning: they search, claim and upload."""

import asyncio
import json
import os
import shutil
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from eth_account.signers.local import LocalAccount

from tests.factories.tokens import publish, token_row
from tests.fixtures.checkout import CHECKOUT
from tests.fixtures.claims import ClaimChain
from tests.fixtures.clocks import ManualClock
from tests.fixtures.http_server import serving_http
from tests.fixtures.service import Serve, Service
from tests.fixtures.sign_in import SignInClient
from tests.fixtures.uploads import SITE

EXAMPLES = CHECKOUT / "docs" / "examples"
SYMBOL = "TYPED"
# Stricter than the example's own instructions: what is typed wrongly in the document shows here.
COMPILE = (
    "--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes", "--noUnusedLocals", "--noEmit", "false",
    "--skipLibCheck", "--target", "es2022", "--module", "nodenext", "--types", "node",
)  # fmt: skip


@dataclass
class Place:
    """A running service, and a wallet with a token to claim."""

    chain: ClaimChain
    service: Service
    wallet: LocalAccount
    address: str
    session: str

    @property
    def settings(self) -> dict[str, str]:
        """What the examples read from the environment."""
        return {
            "API": self.address,
            "API_KEY": self.service.key,
            "SESSION": self.session,
            "RPC": self.chain.node.url,
            "CHAIN": "base",
            "SYMBOL": SYMBOL,
            "CLAIM_PRIVATE_KEY": self.wallet.key.to_0x_hex(),
        }

    async def require_done(self, printed: str) -> None:
        """Check what an example printed against the chain and the service."""
        done: dict[str, Any] = json.loads(printed)
        mined = self.chain.node.rpc("eth_getTransactionByHash", done["status"]["txHash"])
        assert (mined["from"], mined["to"]) == (self.wallet.address.lower(), self.chain.registry)
        assert done["status"] == {
            "txHash": mined["hash"],
            "status": "confirmed",
            "confirmations": 1,
            "blockNumber": int(mined["blockNumber"], 16),
        }
        registration = done["registration"]
        found = (registration["owner"], registration["status"], registration["tokenId"])
        assert found == (self.wallet.address, "grace_period", 1)
        uploaded = await self.service.anonymous.get(f"/api/v2/public/metadata/{done['uploaded']['cid']}")
        assert uploaded.json() == {"name": SYMBOL, "website": "https://quill.example"}


@pytest.fixture
async def place(claim_chain: ClaimChain, serve: Serve, warehouse_url: str) -> AsyncIterator[Place]:
    """The service over HTTP, and a token to claim."""
    wallet = claim_chain.wallet()
    token = claim_chain.token(wallet, SYMBOL)
    claim_chain.index()
    claim_chain.price_native()
    publish(claim_chain.warehouse, [token_row(SYMBOL, address=int(token, 16))])
    async with serve(chains=claim_chain.chains_path, clickhouse_url=warehouse_url, **SITE) as service:
        session = await SignInClient(service, ManualClock()).token(wallet)
        async with serving_http(service.app) as address:
            yield Place(claim_chain, service, wallet, address, session)


async def test_the_client_in_typescript_compiles_strictly_searches_claims_and_uploads(
    place: Place, tmp_path: Path
) -> None:
    (tmp_path / "node_modules").symlink_to(CHECKOUT / "node_modules")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    shutil.copy(EXAMPLES / "claim.ts", tmp_path)
    said = await _run(tmp_path, "openapi-typescript", f"{place.address}/openapi.json", "-o", "api.d.ts")
    assert "warn" not in said.lower()
    await _run(tmp_path, "tsc", *COMPILE, "claim.ts")
    await place.require_done(await _run(tmp_path, "node", "claim.js", **place.settings))


async def test_the_client_in_python_searches_claims_and_uploads(place: Place, tmp_path: Path) -> None:
    generator = str(Path(sys.executable).with_name("openapi-python-client"))
    document = await place.service.anonymous.get("/openapi.json")
    (tmp_path / "openapi.json").write_bytes(document.content)
    await _run(
        tmp_path, generator, "generate", "--path", "openapi.json", "--meta", "none",
        "--output-path", "regalia_client", "--fail-on-warning",
    )  # fmt: skip
    shutil.copy(EXAMPLES / "generated_client.py", tmp_path)
    await place.require_done(await _run(tmp_path, sys.executable, "generated_client.py", **place.settings))


async def _run(folder: Path, command: str, *arguments: str, **settings: str) -> str:
    """Run a program, of npm packages too; what it prints, warnings included."""
    bundled = CHECKOUT / "node_modules" / ".bin" / command
    # The generator calls ruff by its name.
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", **settings}
    process = await asyncio.create_subprocess_exec(
        str(bundled) if bundled.exists() else command, *arguments,
        cwd=folder, env=environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    output, _ = await process.communicate()
    assert process.returncode == 0, output.decode()
    return output.decode()
