"""Who may open a challenge of a registration on Solana."""

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import httpx
import pytest
from solders.keypair import Keypair

from api.challenges.rules import HOUR, hour_before, hour_of
from api.challenges.tasks import challenge_work
from tests.factories.registrations import add_registration
from tests.fixtures.service import Service
from tests.fixtures.solana_claims import SOLANA, SolanaClaims
from warehouse.domain.addresses import digits_of

pytestmark = pytest.mark.slow
SYMBOL = "LUMEN"
_VERSIONS = count(1)


class Scene:
    """``copy`` holds the registration of LUMEN; ``wallet`` is the mint authority of ``original``, which had a market
    first."""

    def __init__(self, claims: SolanaClaims, service: Service) -> None:
        self.claims, self.service, self.now = claims, service, datetime.now(UTC)
        self.wallet, self.holder = claims.wallet(), claims.wallet()
        self.original, self.copy = claims.mint(SYMBOL, self.wallet), claims.mint(SYMBOL, self.holder)
        claims.publish_token(self.original, SYMBOL, deployed_block=10, deployed_index=0)
        claims.publish_token(self.copy, SYMBOL, deployed_block=20, deployed_index=0)
        claims.publish_control(str(self.wallet.pubkey()), self.original, "mint_authority", symbol=SYMBOL)
        add_registration(
            claims.store, SYMBOL, chain_id=SOLANA, token_address=self.copy, owner=str(self.holder.pubkey()),
            registry=str(claims.registry), minted_at=self.now - timedelta(days=2), transaction_hash="5" * 87,
        )  # fmt: skip
        hour = hour_of(self.now) - HOUR
        claims.publish_progress(weighed_through=hour + HOUR, history_from=hour_of(self.now - timedelta(days=200)))
        for token, held, days in ((self.original, "64000", 200), (self.copy, "1200", 1)):
            for one in (hour_before(self.now - timedelta(days=2)), hour):
                self.weigh(token, one, held, self.now - timedelta(days=days))

    def weigh(self, token: str, hour: datetime, held: str, since: datetime) -> None:
        """Store what a token weighed in an hour, as the pipelines do."""
        self.claims.warehouse.command(
            "INSERT INTO agg_token_weight SELECT {chain_id:UInt32}, unhex({token:String}), {hour:DateTime('UTC')},"
            " {held:Decimal(38, 6)}, {held:Decimal(38, 6)}, {held:Decimal(38, 6)}, {since:DateTime('UTC')}, 0,"
            " {version:UInt64}",
            {
                "chain_id": SOLANA,
                "token": digits_of(token),
                "hour": int(hour.timestamp()),
                "held": held,
                "since": int(hour_of(since).timestamp()),
                "version": next(_VERSIONS),
            },
        )

    async def open(
        self, wallet: Keypair | None = None, *, key: Keypair | None = None, token: str | None = None, **changes: Any
    ) -> httpx.Response:
        """Open a challenge, by default the original's."""
        wallet, token = wallet or self.wallet, token or self.original
        body = {"tokenAddress": token, "walletAddress": str(wallet.pubkey())}
        path = f"/registration/{SYMBOL}/challenge"
        message = (await self.service.post(f"{path}/message?chain=solana", body)).json()
        signature = str((key or wallet).sign_message(message["message"].encode()))
        signed = {**body, "signature": signature, "timestamp": message["timestamp"], **changes}
        return await self.service.post(f"{path}?chain=sol", signed)


@pytest.fixture
def scene(solana_claims: SolanaClaims, solana_service: Service) -> Scene:
    return Scene(solana_claims, solana_service)


async def test_the_mint_authority_of_the_original_opens_a_challenge(scene: Scene) -> None:
    answer = await scene.open()
    assert answer.status_code == 200, answer.text
    made = answer.json()
    assert (made["state"], made["verificationMethod"], made["chainId"]) == ("open", "mintAuthority", SOLANA)
    assert (made["registeredToken"], made["challengerToken"]) == (scene.copy, scene.original)
    assert made["challengerWallet"] == str(scene.wallet.pubkey())
    assert (await scene.open()).json()["id"] == made["id"]
    listed = (await scene.service.get(f"/registration/{SYMBOL}/challenges", chain="solana")).json()
    assert [one["id"] for one in listed["challenges"]] == [made["id"]]


async def test_another_key_or_no_control_is_refused(scene: Scene) -> None:
    forged = await scene.open(key=Keypair())
    assert (forged.status_code, forged.json()["code"]) == (403, "CHALLENGE_UNAUTHORIZED")
    assert forged.json()["error"].startswith("signature: ")
    stranger = await scene.open(Keypair())
    assert (stranger.status_code, stranger.json()["code"]) == (403, "CHALLENGE_UNAUTHORIZED")
    rich = scene.claims.wallet()
    scene.claims.publish_control(str(rich.pubkey()), scene.original, "majority_holder")
    assert (await scene.open(rich)).json()["code"] == "CHALLENGE_UNAUTHORIZED"


async def test_bad_input_names_the_field(scene: Scene) -> None:
    for changes, field in (
        ({"signature": "0x" + "1b" * 65}, "signature: must be 64 bytes in base58"),
        ({"signature": "zz"}, "signature: must be 64 bytes in base58"),
        ({"walletAddress": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"}, "walletAddress: is an EVM address"),
        ({"tokenAddress": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"}, "tokenAddress: is an EVM address"),
    ):
        answer = await scene.open(**changes)
        assert answer.status_code == 400, answer.text
        assert answer.json()["error"].startswith(field)


async def test_the_holder_does_not_challenge_itself(scene: Scene) -> None:
    assert (await scene.open(token=scene.copy)).json()["check"] == "same_token"
    assert (await scene.open(scene.holder)).json()["check"] == "own_registration"


def note_creator(scene: Scene, creator: Keypair) -> None:
    """Write that one account created both mints, as the index does."""
    for number, mint in enumerate((scene.original, scene.copy), start=10):
        scene.claims.warehouse.command(
            "INSERT INTO fact_contract_creation (chain_id, address, block_number, block_time, creator)"
            " SELECT {chain_id:UInt32}, unhex({mint:String}), {number:UInt64}, now(), unhex({creator:String})",
            {
                "chain_id": SOLANA,
                "mint": digits_of(mint),
                "number": number,
                "creator": bytes(creator.pubkey()).hex(),
            },
        )


async def decided(scene: Scene) -> tuple[str, bool]:
    """What the worker makes of the challenge once its hour is over, and whether the copy counts as a migration."""
    hour = hour_of(scene.now) - 2 * HOUR
    for token, held, days in ((scene.original, "64000", 200), (scene.copy, "1200", 1)):
        scene.weigh(token, hour, held, scene.now - timedelta(days=days))
    scene.claims.store.execute("UPDATE registration_challenge SET decide_at = %s", (hour + HOUR,))
    scene.claims.node.mine(40)
    await challenge_work(scene.service.services).run()
    (row,) = scene.claims.store.execute("SELECT state, evidence FROM registration_challenge").fetchall()
    return row["state"], row["evidence"]["isMigration"]


async def test_the_worker_upholds_it_by_the_same_rules(scene: Scene) -> None:
    assert (await scene.open()).status_code == 200
    assert await decided(scene) == ("upheld", False)


async def test_the_same_creator_makes_a_migration(scene: Scene) -> None:
    assert (await scene.open()).status_code == 200
    note_creator(scene, scene.wallet)
    for mint in (scene.original, scene.copy):
        scene.claims.publish_control(str(scene.wallet.pubkey()), mint, "deployer", symbol=SYMBOL)
    assert await decided(scene) == ("rejected", True)


async def test_an_account_that_creates_for_others_makes_no_migration(scene: Scene) -> None:
    """A thief has the same launchpad make the copy: the launchpad's account speaks for neither mint."""
    assert (await scene.open()).status_code == 200
    note_creator(scene, scene.claims.wallet())
    assert await decided(scene) == ("upheld", False)
