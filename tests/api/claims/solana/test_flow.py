"""A claim on Solana from the quote to the registration, on a real node."""

import asyncio
import base64
from collections.abc import AsyncIterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.system_program import TransferParams, transfer
from solders.transaction import VersionedTransaction

from api.settings import ApiSettings
from api.worker import work
from indexer.contracts.solana import idl, program
from indexer.contracts.solana.statements import ED25519_PROGRAM, Domain
from indexer.devchain.solana.sender import Sender
from indexer.devchain.solana.surfpool import LAMPORTS_PER_SOL
from pipelines.refresh import refresh
from tests.fixtures.service import Serve, Service
from tests.fixtures.solana_claims import NATIVE_USD, SOLANA, SolanaClaims, build, sign
from warehouse.chains import facts

pytestmark = pytest.mark.slow
FEE = int(Decimal(25) * LAMPORTS_PER_SOL / NATIVE_USD) + 1
SEND = {"encoding": "base64", "preflightCommitment": "confirmed"}


async def test_a_deployer_claims(solana_claims: SolanaClaims, solana_service: Service) -> None:
    wallet, mint = solana_claims.claimable("Aurum")
    claimer = str(wallet.pubkey())
    body = {"claimer": claimer, "symbol": "aurum", "tokenMint": mint}
    quoted = (await solana_service.post("/claim/solana/quote", body)).json()
    answer = await solana_service.post("/claim/solana/build", body)
    assert answer.status_code == 200, answer.text
    built = answer.json()
    crown_pda = str(program.crown_address(solana_claims.registry, "AURUM"))
    assert (built["symbol"], built["tokenMint"], built["claimer"]) == ("AURUM", mint, claimer)
    assert built["crownPda"] == quoted["crownPda"] == crown_pda
    costs = {
        "registrationFee": FEE,
        "rent": 4_565_760,
        "networkFee": 10_000,
        "total": FEE + 4_575_760,
    }
    assert built["costs"] == quoted["costs"] == costs
    assert (quoted["price"], quoted["currency"], quoted["balance"]) == (25, "USD", 10 * LAMPORTS_PER_SOL)
    assert 0 < built["lastValidBlockHeight"] - built["blockHeight"] <= 150
    assert 0 < built["blockhashSeconds"] <= 60

    pending = (await solana_service.get("/claim/solana/status/aurum")).json()
    assert (pending["status"], pending["crownPda"], pending["signature"]) == ("pending", crown_pda, None)
    assert pending["expiresAt"] == built["expiresAt"]
    treasury_before = solana_claims.node.rpc("getBalance", str(solana_claims.treasury))["value"]
    signature = solana_claims.node.rpc("sendTransaction", sign(built, wallet), SEND)
    slot = solana_claims.node.mine()
    confirmed = (await solana_service.get("/claim/solana/status/AURUM")).json()
    assert confirmed == {
        "symbol": "AURUM",
        "status": "confirmed",
        "crownPda": crown_pda,
        "tokenId": 1,
        "owner": claimer,
        "tokenMint": mint,
        "signature": signature,
        "slot": slot,
        "expiresAt": None,
    }
    spent = 10 * LAMPORTS_PER_SOL - solana_claims.node.rpc("getBalance", claimer)["value"]
    assert spent == built["costs"]["total"]
    assert solana_claims.node.rpc("getBalance", str(solana_claims.treasury))["value"] - treasury_before == FEE
    stored = solana_claims.store.execute(
        "SELECT symbol, owner, token_address, fee_wei, registry, transaction_hash, verification_method, verified_at"
        " FROM registration WHERE chain_id = %s",
        (SOLANA,),
    ).fetchone()
    assert stored is not None
    assert stored.pop("verified_at") is not None
    assert stored == {
        "symbol": "AURUM", "owner": claimer, "token_address": mint, "fee_wei": FEE,
        "registry": str(solana_claims.registry), "transaction_hash": signature, "verification_method": "deployer",
    }  # fmt: skip

    solana_claims.describe(mint, "Argentum", bytes(32))
    solana_claims.store.execute("UPDATE indexed_token SET symbol_key = 'ARGENTUM' WHERE address = %s", (mint,))
    renamed = {**body, "symbol": "argentum"}
    for route in ("build", "quote"):
        second = await solana_service.post(f"/claim/solana/{route}", renamed)
        assert (second.status_code, second.json()["code"]) == (409, "CLAIM_DUPLICATE"), second.text
        assert second.json()["error"].startswith("tokenMint: is already registered as AURUM")
    asked = {"wallet": claimer, "tokenAddress": mint, "chainId": "solana"}
    assert (await solana_service.post("/registration/check-qualify", asked)).json()["reason"] == "already_claimed"
    solana_claims.describe(mint, "Aurum", bytes(32))
    solana_claims.store.execute("UPDATE indexed_token SET symbol_key = 'AURUM' WHERE address = %s", (mint,))

    again = await solana_service.post("/claim/solana/build", body)
    assert (again.status_code, again.json()["code"]) == (409, "CLAIM_DUPLICATE")
    assert (await solana_service.post("/claim/solana/quote", body)).json()["code"] == "CLAIM_DUPLICATE"
    await solana_service.get("/claim/solana/status/AURUM")
    events = solana_claims.store.execute("SELECT type, subject FROM event_log WHERE account_id IS NULL").fetchall()
    assert events == [{"type": "claim.confirmed", "subject": "AURUM"}]


async def test_the_row_of_another_registrys_registration_confirms_nothing(
    solana_claims: SolanaClaims, solana_service: Service
) -> None:
    """Ids begin anew when a registry is deployed again."""
    wallet, mint = solana_claims.claimable("ANEW")
    built = (await build(solana_service, wallet, mint, "ANEW")).json()
    solana_claims.node.rpc("sendTransaction", sign(built, wallet), SEND)
    solana_claims.node.mine()
    assert (await solana_service.get("/claim/solana/status/ANEW")).json()["status"] == "confirmed"
    for column, value in (("registry", str(Keypair().pubkey())), ("symbol", "OTHER"), ("token_address", mint[::-1])):
        kept = solana_claims.store.execute(f"SELECT {column} AS kept FROM registration").fetchone()
        assert kept is not None
        solana_claims.store.execute(f"UPDATE registration SET {column} = %s, is_final = true", (value,))
        assert (await solana_service.get("/claim/solana/status/ANEW")).json()["status"] == "pending", column
        solana_claims.store.execute(f"UPDATE registration SET {column} = %s", (kept["kept"],))
    assert (await solana_service.get("/claim/solana/status/ANEW")).json()["status"] == "confirmed"


async def test_the_transaction_is_exactly_what_the_answer_says(
    solana_claims: SolanaClaims, solana_service: Service
) -> None:
    wallet, mint = solana_claims.claimable("EXACT")
    built = (await build(solana_service, wallet, mint, "EXACT")).json()
    transaction = VersionedTransaction.from_bytes(base64.b64decode(built["transaction"]))
    message = transaction.message
    assert transaction.signatures == [Signature.default()]
    assert str(message.recent_blockhash) == built["blockhash"]
    assert message.account_keys[0] == wallet.pubkey()
    check, register = message.instructions
    assert message.account_keys[check.program_id_index] == ED25519_PROGRAM
    assert message.account_keys[register.program_id_index] == solana_claims.registry

    declared = next(one for one in idl.document()["instructions"] if one["name"] == "claim")
    named = {
        one["name"]: message.account_keys[place]
        for one, place in zip(declared["accounts"], register.accounts, strict=True)
    }
    assert named["claimer"] == wallet.pubkey()
    assert named["mint"] == Pubkey.from_string(mint)
    assert named["treasury"] == solana_claims.treasury
    assert str(named["crown"]) == built["crownPda"]
    fields: dict[str, Any] = {}
    at = 1
    for one in declared["args"]:
        fields[one["name"]], at = idl.decode(one["type"], bytes(register.data), at)
    assert at == len(register.data)
    assert (fields["symbol"], fields["fee"], fields["deadline"]) == ("EXACT", FEE, built["expiresAt"])

    genesis = bytes(Pubkey.from_string(solana_claims.node.genesis_hash))
    terms = {name: fields[name] for name in ("fee", "deadline", "nonce")}
    statement = Domain(genesis, solana_claims.registry).claim(wallet.pubkey(), named["mint"], "EXACT", **terms)
    data = bytes(check.data)
    assert data[112:] == statement
    assert data[16:48] == bytes(solana_claims.signer.pubkey())
    assert Signature.from_bytes(data[48:112]).verify(solana_claims.signer.pubkey(), statement)


async def test_a_slow_signer_puts_a_newer_blockhash_in(solana_claims: SolanaClaims, solana_service: Service) -> None:
    wallet, mint = solana_claims.claimable("SLOWLY")
    built = (await build(solana_service, wallet, mint, "SLOWLY")).json()
    again = (await build(solana_service, wallet, mint, "SLOWLY")).json()
    solana_claims.node.mine(2)
    newer = solana_claims.node.rpc("getLatestBlockhash", {"commitment": "confirmed"})["value"]["blockhash"]
    assert newer != built["blockhash"]
    raw = base64.b64decode(built["transaction"])
    swapped = raw.replace(bytes(Pubkey.from_string(built["blockhash"])), bytes(Pubkey.from_string(newer)))
    assert swapped != raw
    signed = sign({"transaction": base64.b64encode(swapped).decode()}, wallet)
    solana_claims.node.rpc("sendTransaction", signed, SEND)
    solana_claims.node.mine()
    crown = solana_claims.crown("SLOWLY")
    assert crown is not None
    assert crown.owner == wallet.pubkey()
    assert again["crownPda"] == built["crownPda"]
    assert solana_claims.rows_written()["claim_authorization"] == 2


@pytest.fixture
async def patient(solana_claims: SolanaClaims, serve: Serve, warehouse_url: str) -> AsyncIterator[Service]:
    """The API with patience enough to serve every concurrent claim on a slow machine."""
    async with serve(
        chains=solana_claims.chains_path,
        clickhouse_url=warehouse_url,
        admission_queue_seconds=600,
        chain_timeout_seconds=60,
    ) as running:
        yield running


async def test_a_hundred_concurrent_claims_make_one_registration(solana_claims: SolanaClaims, patient: Service) -> None:
    claims = [solana_claims.claimable("RUSHED") for _ in range(100)]
    answers = await asyncio.gather(*(build(patient, wallet, mint, "RUSHED") for wallet, mint in claims))
    assert {answer.status_code for answer in answers} == {200}, answers[0].text
    signed = [sign(answer.json(), wallet) for answer, (wallet, _) in zip(answers, claims, strict=True)]
    sent = solana_claims.node.batch(
        [("sendTransaction", (one, {"encoding": "base64", "skipPreflight": True})) for one in signed]
    )
    solana_claims.node.mine()
    statuses = solana_claims.node.rpc("getSignatureStatuses", sent)["value"]
    assert [status["err"] for status in statuses].count(None) == 1
    winner = next(place for place, status in enumerate(statuses) if status["err"] is None)
    shown = await asyncio.gather(*(patient.get("/claim/solana/status/RUSHED") for _ in range(20)))
    assert {answer.json()["signature"] for answer in shown} == {sent[winner]}
    assert {answer.json()["tokenId"] for answer in shown} == {1}
    assert solana_claims.rows_written() == {"claim_authorization": 100, "registration": 1, "event_log": 1}
    refused = await build(patient, *claims[(winner + 1) % 100], "RUSHED")
    assert refused.json()["code"] == "CLAIM_DUPLICATE"


def settings_of(solana_claims: SolanaClaims, data_dir: Path, store_url: str) -> ApiSettings:
    return ApiSettings(
        data_dir=data_dir,
        database_url=store_url,
        clickhouse_url="http://127.0.0.1:9/unused",
        chains=solana_claims.chains_path,
    )


async def test_the_worker_waits_for_a_registration_and_records_it(
    solana_claims: SolanaClaims, solana_service: Service, data_dir: Path, store_url: str
) -> None:
    wallet, mint = solana_claims.claimable("WATCHED")
    built = (await build(solana_service, wallet, mint, "WATCHED")).json()
    assert (await build(solana_service, wallet, mint, "WATCHED")).status_code == 200
    assert watches(solana_claims) == [("todo", 0)]
    settings = settings_of(solana_claims, data_dir, store_url)
    await work(settings, wait=False)
    assert watches(solana_claims) == [("todo", 1)]
    solana_claims.node.rpc("sendTransaction", sign(built, wallet), SEND)
    solana_claims.node.mine()
    solana_claims.store.execute("SET search_path = public, jobs")
    solana_claims.store.execute("UPDATE jobs.procrastinate_jobs SET scheduled_at = now()")
    await work(settings, wait=False)
    assert watches(solana_claims) == []
    assert solana_claims.rows_written() == {"claim_authorization": 2, "registration": 1, "event_log": 1}


async def test_a_watch_ends_with_the_last_authorisation(
    solana_claims: SolanaClaims, solana_service: Service, data_dir: Path, store_url: str
) -> None:
    wallet, mint = solana_claims.claimable("GIVENUP")
    assert (await solana_service.get("/claim/solana/status/GIVENUP")).json()["status"] == "unclaimed"
    assert (await build(solana_service, wallet, mint, "GIVENUP")).status_code == 200
    solana_claims.store.execute("UPDATE claim_authorization SET deadline = now() - interval '1 hour'")
    await work(settings_of(solana_claims, data_dir, store_url), wait=False)
    assert watches(solana_claims) == []
    failed = (await solana_service.get("/claim/solana/status/GIVENUP")).json()
    assert (failed["status"], failed["expiresAt"], failed["tokenId"]) == ("failed", None, None)


def watches(solana_claims: SolanaClaims) -> list[tuple[str, int]]:
    rows = solana_claims.store.execute(
        "SELECT status::text, attempts FROM jobs.procrastinate_jobs WHERE task_name = 'claims.watch_solana' ORDER BY id"
    ).fetchall()
    return [(row["status"], row["attempts"]) for row in rows]


async def test_indexing_agrees_with_the_row_of_the_claim(solana_claims: SolanaClaims, solana_service: Service) -> None:
    wallet, mint = solana_claims.claimable("AGREED")
    built = (await build(solana_service, wallet, mint, "AGREED")).json()
    solana_claims.node.rpc("sendTransaction", sign(built, wallet), SEND)
    solana_claims.node.mine()
    assert (await solana_service.get("/claim/solana/status/AGREED")).json()["status"] == "confirmed"
    facts_of_row = "SELECT to_jsonb(registration) - 'updated_at' - 'is_final' AS row FROM registration"
    before = solana_claims.store.execute(facts_of_row).fetchall()
    solana_claims.node.mine(40)
    solana_claims.index()
    refresh(solana_claims.warehouse, solana_claims.store, facts.load(solana_claims.chains_path))
    assert solana_claims.store.execute(facts_of_row).fetchall() == before
    assert solana_claims.store.execute("SELECT is_final FROM registration").fetchone() == {"is_final": True}
    events = solana_claims.store.execute("SELECT type FROM event_log WHERE account_id IS NULL ORDER BY id").fetchall()
    assert [event["type"] for event in events] == ["claim.confirmed", "token.minted"]
    assert (await solana_service.get("/claim/solana/status/AGREED")).json()["status"] == "confirmed"
    assert solana_claims.rows_written()["event_log"] == 2


async def test_the_pipelines_may_be_first(
    solana_claims: SolanaClaims, solana_service: Service, data_dir: Path, store_url: str
) -> None:
    wallet, mint = solana_claims.claimable("INDEXED")
    built = (await build(solana_service, wallet, mint, "INDEXED")).json()
    signature = solana_claims.node.rpc("sendTransaction", sign(built, wallet), SEND)
    solana_claims.node.mine(40)
    solana_claims.index()
    refresh(solana_claims.warehouse, solana_claims.store, facts.load(solana_claims.chains_path))
    facts_of_row = "SELECT to_jsonb(registration) AS row FROM registration"
    before = solana_claims.store.execute(facts_of_row).fetchall()
    shown = (await solana_service.get("/claim/solana/status/INDEXED")).json()
    assert (shown["status"], shown["signature"]) == ("confirmed", signature)
    await work(settings_of(solana_claims, data_dir, store_url), wait=False)
    assert watches(solana_claims) == []
    assert solana_claims.store.execute(facts_of_row).fetchall() == before
    events = solana_claims.store.execute("SELECT type FROM event_log WHERE account_id IS NULL").fetchall()
    assert sorted(event["type"] for event in events) == ["claim.confirmed", "token.minted"]


async def test_others_that_name_the_account_hide_nothing(solana_claims: SolanaClaims, solana_service: Service) -> None:
    wallet, mint = solana_claims.claimable("FLOODED")
    crown = program.crown_address(solana_claims.registry, "FLOODED")

    def flood(lamports: int) -> None:
        sender = Sender(solana_claims.node)
        for number in range(30):
            terms = TransferParams(from_pubkey=sender.payer.pubkey(), to_pubkey=crown, lamports=lamports + number)
            sender.send([transfer(terms)])
        sender.flush()
        solana_claims.node.mine()

    flood(1_000_000)
    built = (await build(solana_service, wallet, mint, "FLOODED")).json()
    assert built["costs"]["rent"] == 0
    signature = solana_claims.node.rpc("sendTransaction", sign(built, wallet), SEND)
    flood(1)
    shown = (await solana_service.get("/claim/solana/status/FLOODED")).json()
    assert (shown["status"], shown["signature"]) == ("confirmed", signature)


async def test_an_older_authorisation_is_void_after_a_release(
    solana_claims: SolanaClaims, solana_service: Service
) -> None:
    first, mint = solana_claims.claimable("REPLAY")
    early = (await build(solana_service, first, mint, "REPLAY")).json()
    late = (await build(solana_service, first, mint, "REPLAY")).json()
    solana_claims.node.rpc("sendTransaction", sign(late, first), SEND)
    solana_claims.node.mine()
    crown = program.crown_address(solana_claims.registry, "REPLAY")
    release = idl.instruction(solana_claims.registry, "release", {"owner": first.pubkey(), "crown": crown}, {})
    send_as(solana_claims, first, release)
    assert solana_claims.crown("REPLAY") is None
    with pytest.raises(Exception, match="6019"):
        solana_claims.node.rpc("sendTransaction", sign(early, first), SEND)
    rebuilt = (await build(solana_service, first, mint, "REPLAY")).json()
    assert rebuilt["costs"]["rent"] == program.rent(program.CROWN_BYTES) - program.rent(program.HEADER_BYTES)
    solana_claims.node.rpc("sendTransaction", sign(rebuilt, first), SEND)
    solana_claims.node.mine()
    again = solana_claims.crown("REPLAY")
    assert again is not None
    assert again.token_id == 2


def send_as(solana_claims: SolanaClaims, payer: Keypair, *instructions: Any) -> None:
    Sender(solana_claims.node, payer).run(instructions)
