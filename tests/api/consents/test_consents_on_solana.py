"""Who may name the successor of a mint."""

from typing import Any

import httpx
import pytest
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from tests.fixtures.service import Service
from tests.fixtures.solana_claims import SOLANA, SolanaClaims

pytestmark = pytest.mark.slow
EVM_WALLET = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"


class Scene:
    """``senior`` is a mint whose authority is ``wallet``; ``successor`` is another one of the symbol."""

    def __init__(self, claims: SolanaClaims, service: Service) -> None:
        self.claims, self.service = claims, service
        self.wallet = claims.wallet()
        self.senior, self.successor = claims.mint("OLD", self.wallet), claims.mint("OLD", claims.wallet())
        claims.publish_token(self.senior, "OLD", deployed_block=10, deployed_index=0)
        claims.publish_control(str(self.wallet.pubkey()), self.senior, "mint_authority", symbol="OLD")

    async def consent(
        self, wallet: Keypair | None = None, *, key: Keypair | None = None, chain: object = "solana", **changes: Any
    ) -> httpx.Response:
        """Ask for the message, sign it and hand it in; ``changes`` are made to what is handed in."""
        wallet = wallet or self.wallet
        pair = {
            "chainId": chain, "seniorAddress": self.senior, "tokenAddress": self.successor,
            "walletAddress": str(wallet.pubkey()),
        }  # fmt: skip
        asked = await self.service.post("/claim/migration/message", pair)
        assert asked.status_code == 200, asked.text
        signature = str((key or wallet).sign_message(asked.json()["message"].encode()))
        given = {**pair, "signature": signature, "timestamp": asked.json()["timestamp"], **changes}
        return await self.service.post("/claim/migration", given)

    @property
    def kept(self) -> list[dict[str, Any]]:
        return self.claims.store.execute("SELECT * FROM copy_migration_consent").fetchall()


@pytest.fixture
def scene(solana_claims: SolanaClaims, solana_service: Service) -> Scene:
    return Scene(solana_claims, solana_service)


async def test_the_mint_authority_names_the_successor_once(scene: Scene) -> None:
    first, again = await scene.consent(), await scene.consent(chain=SOLANA)
    assert first.status_code == 200, first.text
    made = first.json()
    assert (made["chainId"], made["seniorAddress"], made["tokenAddress"]) == (SOLANA, scene.senior, scene.successor)
    assert (made["walletAddress"], made["verificationMethod"]) == (str(scene.wallet.pubkey()), "mintAuthority")
    assert again.json() == made
    assert [(row["senior_address"], row["address"]) for row in scene.kept] == [(scene.senior, scene.successor)]


async def test_another_key_or_no_control_is_refused(scene: Scene) -> None:
    rich = scene.claims.wallet()
    scene.claims.publish_control(str(rich.pubkey()), scene.senior, "majority_holder")
    for answer, field in (
        (await scene.consent(key=Keypair()), "signature: "),
        (await scene.consent(tokenAddress=str(Keypair().pubkey())), "signature: "),
        (await scene.consent(Keypair()), "walletAddress: "),
        (await scene.consent(rich), "walletAddress: "),
    ):
        assert (answer.status_code, answer.json()["code"]) == (403, "CLAIM_UNAUTHORIZED"), answer.text
        assert answer.json()["error"].startswith(field)
    assert scene.kept == []


async def test_bad_input_names_the_field(scene: Scene) -> None:
    derived = str(Pubkey.find_program_address([b"seed"], scene.claims.registry)[0])
    for changes, problem in (
        ({"signature": "0x" + "1b" * 65}, "signature: must be 64 bytes in base58"),
        ({"seniorAddress": EVM_WALLET}, "seniorAddress: is an EVM address"),
        ({"tokenAddress": EVM_WALLET}, "tokenAddress: is an EVM address"),
        ({"walletAddress": EVM_WALLET}, "walletAddress: is an EVM address"),
        ({"walletAddress": derived}, "walletAddress: must be a wallet"),
        ({"tokenAddress": scene.senior}, "tokenAddress: must be another token"),
    ):
        answer = await scene.consent(**changes)
        assert answer.status_code == 400, answer.text
        assert answer.json()["error"].startswith(problem)
