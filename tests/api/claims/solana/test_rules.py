"""Who may claim which mint on Solana: methods of control, copies, and what a thief would try."""

import time
from typing import Any

import pytest
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from indexer.devchain.solana.surfpool import LAMPORTS_PER_SOL
from tests.fixtures.service import Serve, Service
from tests.fixtures.solana_claims import SOLANA, SolanaClaims, build, sign
from warehouse.domain.authorities import SHARED_ABOVE

pytestmark = pytest.mark.slow
SEND = {"encoding": "base64", "preflightCommitment": "confirmed"}


async def refused(service: Service, wallet: Keypair, mint: str, symbol: str) -> tuple[int, str]:
    """Status and code of the answer to a build."""
    answer = await build(service, wallet, mint, symbol)
    return answer.status_code, answer.json().get("code", "built")


async def qualify(service: Service, wallet: Keypair, mint: str, **fields: Any) -> dict[str, Any]:
    body = {"wallet": str(wallet.pubkey()), "tokenAddress": mint, "chainId": "solana", **fields}
    answer = await service.post("/registration/check-qualify", body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_each_method_of_control(solana_claims: SolanaClaims, solana_service: Service) -> None:
    for method, symbol, confidence in (
        ("deployer", "MADE", 1),
        ("mint_authority", "MINTED", 0.95),
        ("update_authority", "NAMED", 0.9),
    ):
        wallet = solana_claims.wallet()
        mint = solana_claims.mint(symbol, wallet)
        solana_claims.publish_token(mint, symbol)
        assert await refused(solana_service, wallet, mint, symbol) == (403, "CLAIM_UNAUTHORIZED")
        assert (await qualify(solana_service, wallet, mint))["reason"] == "not_eligible"
        solana_claims.publish_control(str(wallet.pubkey()), mint, method, symbol=symbol)
        found = (await qualify(solana_service, wallet, mint, symbol=symbol))["qualification"]
        assert (found["method"], found["confidence"]) == (method, confidence)
        assert await refused(solana_service, wallet, mint, symbol) == (200, "built")
        headers = {"X-Wallet-Address": str(wallet.pubkey())}
        listed = (await solana_service.client.get("/api/v2/registration/claimable", headers=headers)).json()
        assert [(one["address"], one["chainId"], one["symbol"]) for one in listed["tokens"]] == [
            (mint, solana_claims.node.caip2, symbol)
        ]
        assert listed["tokens"][0]["qualification"] == found


async def test_every_name_of_the_chain_is_understood(solana_claims: SolanaClaims, solana_service: Service) -> None:
    wallet, mint = solana_claims.claimable("NAMES")
    for name in ("solana", "Solana", "sol", "SOL", SOLANA, str(SOLANA)):
        assert (await qualify(solana_service, wallet, mint, chainId=name))["eligible"], name
    body = {"wallet": str(wallet.pubkey()), "tokenAddress": mint}
    for name, problem in (
        (solana_claims.node.caip2, "chainId: "), ("eip155:900900", "chainId: "), (900901, "chainId: "),
        (True, "chainId: "), (900900.5, "chainId: "), (8453, "chainId: "),
    ):  # fmt: skip
        answer = await solana_service.post("/registration/check-qualify", {**body, "chainId": name})
        assert (answer.status_code, answer.json()["error"][: len(problem)]) == (400, problem), (name, answer.text)


async def test_more_than_half_of_the_supply(solana_claims: SolanaClaims, solana_service: Service) -> None:
    issuer, holder = solana_claims.wallet(), solana_claims.wallet()
    mint = solana_claims.mint("MOSTLY", issuer, supply=0)
    solana_claims.publish_token(mint, "MOSTLY")
    solana_claims.hold(mint, issuer, holder.pubkey(), 500)
    solana_claims.hold(mint, issuer, issuer.pubkey(), 500)
    solana_claims.publish_control(str(holder.pubkey()), mint, "majority_holder")  # once, but no more
    assert await refused(solana_service, holder, mint, "MOSTLY") == (403, "CLAIM_UNAUTHORIZED")
    other = solana_claims.mint("MAJOR", issuer, supply=0)
    solana_claims.publish_token(other, "MAJOR")
    solana_claims.hold(other, issuer, holder.pubkey(), 501)
    solana_claims.hold(other, issuer, issuer.pubkey(), 500)
    solana_claims.publish_control(str(holder.pubkey()), other, "majority_holder")
    found = await qualify(solana_service, holder, other)
    assert (found["qualification"]["method"], found["qualification"]["confidence"]) == ("majority_holder", 0.8)
    assert await refused(solana_service, holder, other, "MAJOR") == (200, "built")


async def test_a_symbol_is_cleaned_as_the_index_cleans_it(solana_claims: SolanaClaims, solana_service: Service) -> None:
    wallet = solana_claims.wallet()
    mint = solana_claims.mint(" SPACED\u200b ", wallet)
    solana_claims.publish_control(str(wallet.pubkey()), mint, symbol="SPACED")
    solana_claims.publish_token(mint, "SPACED")
    assert await refused(solana_service, wallet, mint, "SPACED") == (200, "built")


async def test_who_grabs_a_mint_authority_and_mints_itself_a_majority_has_none(
    solana_claims: SolanaClaims, solana_service: Service
) -> None:
    thief = solana_claims.wallet()
    mint = solana_claims.mint("GRABBED", thief, supply=0)
    solana_claims.publish_token(mint, "GRABBED")
    solana_claims.hold(mint, thief, thief.pubkey(), 1_000)
    assert await refused(solana_service, thief, mint, "GRABBED") == (403, "CLAIM_UNAUTHORIZED")
    assert (await qualify(solana_service, thief, mint))["reason"] == "not_eligible"
    soon = int(time.time()) + 3_600
    solana_claims.publish_control(str(thief.pubkey()), mint, "majority_holder", qualifies_from=soon)
    assert await refused(solana_service, thief, mint, "GRABBED") == (403, "CLAIM_UNAUTHORIZED")


async def test_an_account_that_signed_for_many_mints_never_qualifies(
    solana_claims: SolanaClaims, solana_service: Service
) -> None:
    """Whatever is published of it, before the pipelines have noticed."""
    wallet = solana_claims.wallet()
    mint = solana_claims.mint("FACTORY", wallet, supply=0)
    solana_claims.publish_token(mint, "FACTORY")
    solana_claims.hold(mint, wallet, wallet.pubkey(), 1_000)
    solana_claims.publish_control(str(wallet.pubkey()), mint, "majority_holder")
    solana_claims.publish_marks(str(wallet.pubkey()), SHARED_ABOVE)
    assert await refused(solana_service, wallet, mint, "FACTORY") == (200, "built")
    solana_claims.publish_marks(str(wallet.pubkey()), SHARED_ABOVE + 1)
    assert await refused(solana_service, wallet, mint, "FACTORY") == (403, "CLAIM_UNAUTHORIZED")


async def test_an_authority_must_hold_on_the_chain_and_in_the_index(
    solana_claims: SolanaClaims, solana_service: Service
) -> None:
    """A thief has taken an authority just now, or had one once, or has one that many mints share."""
    owner, thief = solana_claims.wallet(), solana_claims.wallet()
    mint = solana_claims.mint("STOLEN", owner)
    solana_claims.publish_token(mint, "STOLEN")
    for method in ("mint_authority", "update_authority"):
        solana_claims.publish_control(str(thief.pubkey()), mint, method)  # once, but no more
    assert await refused(solana_service, thief, mint, "STOLEN") == (403, "CLAIM_UNAUTHORIZED")
    taken = solana_claims.mint("TAKEN", thief)
    solana_claims.publish_token(taken, "TAKEN")
    assert await refused(solana_service, thief, taken, "TAKEN") == (403, "CLAIM_UNAUTHORIZED")
    soon = int(time.time()) + 3_600
    solana_claims.publish_control(str(thief.pubkey()), taken, "mint_authority", qualifies_from=soon)
    assert await refused(solana_service, thief, taken, "TAKEN") == (403, "CLAIM_UNAUTHORIZED")
    solana_claims.publish_control(str(thief.pubkey()), taken, "mint_authority", version=2, deleted=1)
    assert await refused(solana_service, thief, taken, "TAKEN") == (403, "CLAIM_UNAUTHORIZED")
    headers = {"X-Wallet-Address": str(thief.pubkey())}
    listed = (await solana_service.client.get("/api/v2/registration/claimable", headers=headers)).json()
    assert [one["symbol"] for one in listed["tokens"]] == ["X"], "of the mint that it lost; building refuses it"


@pytest.mark.parametrize("fact", ["relayers", "launchpads"])
async def test_a_declared_account_never_qualifies(
    solana_claims: SolanaClaims, serve: Serve, warehouse_url: str, fact: str
) -> None:
    wallet, mint = solana_claims.claimable("PADDED")
    chains = solana_claims.chains_path
    table = "[chains.solana]\n"
    chains.write_text(chains.read_text().replace(table, f'{table}{fact} = ["{wallet.pubkey()}"]\n', 1))
    async with serve(chains=chains, clickhouse_url=warehouse_url) as service:
        assert await refused(service, wallet, mint, "PADDED") == (403, "CLAIM_UNAUTHORIZED")
        headers = {"X-Wallet-Address": str(wallet.pubkey())}
        listed = (await service.client.get("/api/v2/registration/claimable", headers=headers)).json()
        assert listed == {"tokens": [], "total": 0}


async def test_copies_reserved_symbols_and_majors(solana_claims: SolanaClaims, solana_service: Service) -> None:
    original = solana_claims.claimable("ORIGINAL")[1]
    thief = solana_claims.wallet()
    copy = solana_claims.mint("ORIGINAL", thief)
    solana_claims.publish_control(str(thief.pubkey()), copy)
    verdict = {"is_copy": True, "copy_rule": "senior", "copy_of_chain_id": SOLANA, "copy_of_address": original}
    solana_claims.publish_token(copy, "ORIGINAL", **verdict)
    answer = (await build(solana_service, thief, copy, "ORIGINAL")).json()
    assert (answer["check"], answer["claimability"]["original"]) == (
        "copycat", {"chainId": SOLANA, "tokenAddress": original},
    )  # fmt: skip
    for symbol, check in (("OFFICIAL", "reserved_symbol"), ("USDC", "copycat")):
        wallet, mint = solana_claims.claimable(symbol)
        assert (await build(solana_service, wallet, mint, symbol)).json()["check"] == check
    solana_claims.describe(original, "RENAMED", bytes(32))
    assert await refused(solana_service, thief, copy, "ORIGINAL") == (200, "built")


async def test_old_verdicts_and_renamed_mints_wait(solana_claims: SolanaClaims, solana_service: Service) -> None:
    wallet = solana_claims.wallet()
    renamed = solana_claims.mint("NEWNAME", wallet)
    solana_claims.publish_control(str(wallet.pubkey()), renamed)
    solana_claims.publish_token(renamed, "OLDNAME")
    assert await refused(solana_service, wallet, renamed, "NEWNAME") == (503, "TOKEN_UNVERIFIED")
    solana_claims.store.execute("UPDATE copy_progress SET as_of_time = now() - interval '1 day'")
    other, mint = solana_claims.claimable("OUTDATED")
    assert await refused(solana_service, other, mint, "OUTDATED") == (503, "TOKEN_UNVERIFIED")


async def test_a_claimer_that_cannot_pay(solana_claims: SolanaClaims, solana_service: Service) -> None:
    wallet, mint = solana_claims.claimable("POOR")
    needed = (await build(solana_service, wallet, mint, "POOR")).json()["costs"]["total"]
    for held in (1_000_000, needed - 1):
        solana_claims.node.fund(wallet.pubkey(), held)
        answer = await build(solana_service, wallet, mint, "POOR")
        body = answer.json()
        assert (answer.status_code, body["code"]) == (422, "INSUFFICIENT_FUNDS"), answer.text
        assert (body["requiredLamports"] >= needed, body["balanceLamports"]) == (True, held)
        assert body["error"].startswith("claimer: holds ")
    solana_claims.node.fund(wallet.pubkey(), 2 * needed)
    assert await refused(solana_service, wallet, mint, "POOR") == (200, "built")


async def test_the_signer_must_be_the_registrys(solana_claims: SolanaClaims, solana_service: Service) -> None:
    wallet, mint = solana_claims.claimable("UNSIGNED")
    solana_claims.govern("suspend_signer")
    assert await refused(solana_service, wallet, mint, "UNSIGNED") == (503, "SIGNING_UNAVAILABLE")
    assert solana_claims.rows_written()["claim_authorization"] == 0


async def test_another_key_than_the_registrys_signs_nothing(
    solana_claims: SolanaClaims, serve: Serve, warehouse_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    wallet, mint = solana_claims.claimable("WRONGKEY")
    monkeypatch.setenv("REGALIA_SOLANA_SIGNER_PRIVATE_KEY", str(Keypair()))
    async with serve(chains=solana_claims.chains_path, clickhouse_url=warehouse_url) as service:
        assert await refused(service, wallet, mint, "WRONGKEY") == (503, "SIGNING_UNAVAILABLE")


async def test_free_claims_run_out(
    solana_claims: SolanaClaims, serve: Serve, warehouse_url: str, tmp_path: Any
) -> None:
    wallet, mint = solana_claims.claimable("FREELY")
    pricing = tmp_path / "pricing.toml"
    pricing.write_text('free_import_chains = ["solana"]\n')
    async with serve(chains=solana_claims.chains_path, clickhouse_url=warehouse_url, pricing=pricing) as service:
        built = await build(service, wallet, mint, "FREELY")
        assert built.json()["costs"]["registrationFee"] == 0, built.text
        solana_claims.govern("set_limits", free_per_day=0, paid_from=1_000)
        answer = await build(service, wallet, mint, "FREELY")
        assert (answer.status_code, answer.json()["code"]) == (503, "FREE_CLAIMS_USED_UP")
        assert 0 < int(answer.headers["retry-after"]) <= 86_400


async def test_a_chain_or_index_that_does_not_answer(
    solana_claims: SolanaClaims, serve: Serve, warehouse_url: str
) -> None:
    wallet, mint = solana_claims.claimable("SILENT")
    async with serve(chains=solana_claims.chains_path, clickhouse_url="http://127.0.0.1:9/none") as service:
        assert await refused(service, wallet, mint, "SILENT") == (503, "TOKEN_UNVERIFIED")
    text = solana_claims.chains_path.read_text()
    for broken in (
        text.replace(solana_claims.node.url, "http://127.0.0.1:9"),
        text.replace(solana_claims.node.caip2, "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"),
        text.replace(str(solana_claims.registry), str(Keypair().pubkey())),
    ):
        solana_claims.chains_path.write_text(broken)
        async with serve(
            chains=solana_claims.chains_path, clickhouse_url=warehouse_url, chain_timeout_seconds=1
        ) as service:
            assert await refused(service, wallet, mint, "SILENT") == (503, "TOKEN_UNVERIFIED")
            status = await service.get("/claim/solana/status/SILENT")
            assert (status.status_code, status.json()["code"]) == (503, "TRANSACTION_UNREAD")
    assert solana_claims.rows_written() == {"claim_authorization": 0, "registration": 0, "event_log": 0}


async def test_lamports_sent_to_the_account_beforehand_block_nothing(
    solana_claims: SolanaClaims, solana_service: Service
) -> None:
    wallet, mint = solana_claims.claimable("DUSTED")
    built = (await build(solana_service, wallet, mint, "DUSTED")).json()
    solana_claims.node.fund(Pubkey.from_string(built["crownPda"]), 2_000_000)
    again = (await build(solana_service, wallet, mint, "DUSTED")).json()
    assert again["costs"]["rent"] == built["costs"]["rent"] - 2_000_000
    solana_claims.node.rpc("sendTransaction", sign(again, wallet), SEND)
    solana_claims.node.mine()
    assert solana_claims.crown("DUSTED") is not None
    assert solana_claims.node.rpc("getBalance", str(wallet.pubkey()))["value"] == (
        10 * LAMPORTS_PER_SOL - again["costs"]["total"]
    )
