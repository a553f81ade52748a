"""A client in TypeScript, its types generated from the running service's OpenAPI document, searches and claims."""

import asyncio
import json
import os
import shutil
from pathlib import Path
from typing import Any

from tests.factories.tokens import publish, token_row
from tests.fixtures.checkout import CHECKOUT
from tests.fixtures.claims import ClaimChain
from tests.fixtures.http_server import serving_http
from tests.fixtures.service import Service

EXAMPLE = CHECKOUT / "docs" / "examples" / "claim.ts"
# Stricter than the example's own instructions: what is typed wrongly in the document shows here.
COMPILE = (
    "--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes", "--noUnusedLocals", "--noEmit", "false",
    "--skipLibCheck", "--target", "es2022", "--module", "nodenext", "--types", "node",
)  # fmt: skip


async def test_a_generated_client_compiles_strictly_searches_and_claims(
    claim_chain: ClaimChain, claim_service: Service, tmp_path: Path
) -> None:
    wallet = claim_chain.wallet()
    token = claim_chain.token(wallet, "TYPED")
    claim_chain.index()
    claim_chain.price_native()
    publish(claim_chain.warehouse, [token_row("TYPED", address=int(token, 16))])
    (tmp_path / "node_modules").symlink_to(CHECKOUT / "node_modules")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    shutil.copy(EXAMPLE, tmp_path)

    async with serving_http(claim_service.app) as address:
        await _run(tmp_path, "openapi-typescript", f"{address}/openapi.json", "-o", "api.d.ts")
        await _run(tmp_path, "tsc", *COMPILE, EXAMPLE.name)
        said = await _run(
            tmp_path, "node", "claim.js",
            API=address, API_KEY=claim_service.key, RPC=claim_chain.node.url, CHAIN="base", SYMBOL="TYPED",
            CLAIM_PRIVATE_KEY=wallet.key.to_0x_hex(),
        )  # fmt: skip

    done: dict[str, Any] = json.loads(said)
    mined = claim_chain.node.rpc("eth_getTransactionByHash", done["status"]["txHash"])
    assert (mined["from"], mined["to"]) == (wallet.address.lower(), claim_chain.registry)
    block = int(mined["blockNumber"], 16)
    assert done["status"] == {
        "txHash": mined["hash"], "status": "confirmed", "confirmations": 1, "blockNumber": block,
    }  # fmt: skip
    registration = done["registration"]
    assert (registration["owner"], registration["status"], registration["tokenId"]) == (
        wallet.address, "grace_period", 1,
    )  # fmt: skip


async def _run(folder: Path, command: str, *arguments: str, **settings: str) -> str:
    """Run a program of Node or of an npm package; what it prints."""
    bundled = CHECKOUT / "node_modules" / ".bin" / command
    process = await asyncio.create_subprocess_exec(
        str(bundled) if bundled.exists() else command, *arguments,
        cwd=folder, env=os.environ | settings, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    output, errors = await process.communicate()
    assert process.returncode == 0, (output + errors).decode()
    return output.decode()
