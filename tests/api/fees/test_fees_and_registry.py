"""Fees, registry facts and symbol checks."""

from pathlib import Path

import pytest

from api.fees.pricing import PricingError
from api.fees.pricing import load as load_prices
from indexer.devchain.anvil import Anvil
from tests.factories.registrations import add_registration, add_token, address
from tests.fixtures.service import Serve, Service
from warehouse.postgres import Connection


async def test_the_fee_schedule_is_exact_and_cacheable_for_five_minutes(service: Service) -> None:
    answer = await service.get("/config/fees")
    assert answer.headers["cache-control"] == "private, max-age=300"
    assert '"crownFee":25,' in answer.text
    assert '"allChainEth":{"chains":7,"price":269,"savings":98.5}' in answer.text
    assert answer.json()["subscriptionTiers"]["pro"] == {"monthly": 29, "yearly": 290}


async def test_a_changed_pricing_file_is_used_unless_it_is_invalid(serve: Serve, tmp_path: Path) -> None:
    prices = tmp_path / "pricing.toml"
    prices.write_text('claim_usd = "19.99"\nclaim_multiplier = "2"\n')
    async with serve(pricing=prices) as service:
        fee = await service.get("/registration/fee")
        assert fee.text == '{"baseFeeUsd":19.99,"multiplier":2,"totalFeeUsd":39.98,"currency":"USD"}'
        prices.write_text('claim_usd = "0.1"\n')
        assert (await service.get("/registration/fee")).json()["totalFeeUsd"] == 0.1
        prices.write_text("claim_usd = \n")
        assert (await service.get("/registration/fee")).json()["totalFeeUsd"] == 0.1


async def test_a_price_above_its_cap_is_not_used(serve: Serve, tmp_path: Path) -> None:
    prices = tmp_path / "pricing.toml"
    prices.write_text('claim_usd = "30"\n[caps]\nclaim_usd = "40"\n')
    async with serve(pricing=prices) as service:
        caps = (await service.get("/registry/fee-caps")).json()
        assert caps["claim"] == {"currentUsd": 30, "maxUsd": 40}
        assert caps["whaleMultiplier"] == {"min": 1, "max": 4}
        prices.write_text('claim_usd = "41"\n[caps]\nclaim_usd = "40"\n')
        assert (await service.get("/registration/fee")).json()["totalFeeUsd"] == 30
        with pytest.raises(PricingError, match="claim_usd is 41, beyond its cap of 40"):
            load_prices(prices)


@pytest.mark.parametrize(
    ("gwei", "multiplier"), [(None, "1.5"), (20, "1.50"), (10, "1.00"), (26, "1.95"), (500, "4.00"), (0, "1.00")]
)
def test_the_multiplier_follows_gas_within_its_bounds(gwei: int | None, multiplier: str) -> None:
    assert str(load_prices(None).whale_at(None if gwei is None else gwei * 10**9)) == multiplier


async def test_savings_use_the_live_gas_price(serve: Serve, tmp_path: Path, anvil: Anvil) -> None:
    chains = tmp_path / "chains.toml"
    chains.write_text(f'[chains.eth]\nchain_id = {int(anvil.rpc("eth_chainId"), 16)}\nrpc_urls = ["{anvil.url}"]\n')
    async with serve(chains=chains) as service:
        fees = (await service.get("/config/fees")).json()
    assert fees["whaleMultiplierAsOf"] is not None
    apart = {name: fees["createFee"] * bundle["chains"] for name, bundle in fees["bundles"].items()}
    apart["allChainEth"] += fees["createFee"] * (fees["whaleMultiplier"] - 1)
    saved = {name: apart[name] - bundle["price"] for name, bundle in fees["bundles"].items()}
    assert saved == {name: pytest.approx(bundle["savings"]) for name, bundle in fees["bundles"].items()}


async def test_without_a_mainnet_node_the_configured_multiplier_applies(serve: Serve, tmp_path: Path) -> None:
    chains = tmp_path / "chains.toml"
    chains.write_text('[chains.eth]\nrpc_urls = ["http://127.0.0.1:9"]\n')
    async with serve(chains=chains, chain_timeout_seconds=0.5) as service:
        fees = (await service.get("/config/fees")).json()
        assert (fees["whaleMultiplier"], fees["whaleMultiplierAsOf"]) == (1.5, None)


async def test_registry_info_is_cacheable_for_an_hour(serve: Serve, tmp_path: Path) -> None:
    chains = tmp_path / "chains.toml"
    chains.write_text(
        f'[chains.base]\nrpc_urls = ["http://127.0.0.1:9"]\n[chains.base.contracts]\nregistry = "{address(1)}"\n'
        '[chains.eth]\nrpc_urls = ["http://127.0.0.1:9"]\n'
    )
    async with serve(chains=chains, open_crown=False) as service:
        answer = await service.get("/registry/info")
    assert answer.headers["cache-control"] == "private, max-age=3600"
    assert answer.json() == {
        "success": True,
        "protocol": "regalia",
        "protocolVersion": "1.0.0",
        "isOpenCrown": False,
        "supportedChains": ["base"],
    }


@pytest.mark.parametrize(
    ("symbol", "status", "reason"),
    [
        ("FREE", "allowed", None),
        ("free1", "allowed", None),
        ("A" * 13, "blocked", "length"),
        ("", "blocked", "length"),
        ("PE PE", "blocked", "characters"),
        ("123456", "blocked", "characters"),
        ("ПЕПЕ", "blocked", "characters"),
        ("admin", "blocked", "reserved"),
        ("USDC", "og_required", None),
        ("U5DC", "og_required", None),
        ("TAKEN", "warning", None),
        ("KNOWN", "warning", None),
    ],
)
async def test_symbol_verdicts(
    service: Service, store: Connection, symbol: str, status: str, reason: str | None
) -> None:
    add_registration(store, "TAKEN")
    add_token(store, "KNOWN")
    answer = await service.post("/verify/symbol", {"symbol": symbol})
    body = answer.json()
    assert (answer.status_code, body["success"], body["status"]) == (200, True, status)
    assert body["symbol"] == symbol.upper()
    assert (reason or "") in body.get("blockedReason", "")
    assert ("blockedReason" in body) == (status == "blocked")
    assert body["requiresAcknowledgment"] == (status == "warning")
    assert body["requiresOgVerification"] == (status == "og_required")
    assert ("canonicalAsset" in body) == (status in ("warning", "og_required"))


async def test_confusable_symbols_get_a_warning(service: Service, store: Connection) -> None:
    add_registration(store, "SOLO")
    add_token(store, "LOOK")
    for symbol, original in (("S0L0", "SOLO"), ("1OOK", "LOOK"), ("ADM1N", None)):
        body = (await service.post("/verify/symbol", {"symbol": symbol})).json()
        assert (body["status"], body["requiresAcknowledgment"]) == ("warning", True)
        assert body.get("canonicalAsset", {}).get("symbol") == original
        assert f"{symbol} looks like {original or 'ADMIN'}," in body["warningMessage"]


async def test_a_symbol_in_use_warns_of_the_other_chains(service: Service, store: Connection) -> None:
    add_token(store, "LUMEN")
    add_token(store, "LUMEN", chain_id=1)
    add_token(store, "ALONE", address=address(7))
    body = (await service.post("/verify/symbol", {"symbol": "LUMEN"})).json()
    assert ("Ethereum" in body["warningMessage"]) != ("Base also" in body["warningMessage"])
    assert "each chain by itself" in body["warningMessage"]
    alone = (await service.post("/verify/symbol", {"symbol": "ALONE"})).json()
    assert "each chain by itself" not in alone["warningMessage"]


async def test_twelve_letters_do_not_fit_on_solana(service: Service) -> None:
    body = (await service.post("/verify/symbol", {"symbol": "TWELVELETTER"})).json()
    assert body["crossChainCompatibility"] == {"solana": {"compatible": False}, "evm": {"compatible": True}}


async def test_a_missing_or_non_text_symbol_is_400(service: Service) -> None:
    for body in ({}, {"symbol": None}, {"symbol": 5}, {"symbol": ["A"]}):
        answer = await service.post("/verify/symbol", body)
        assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_REQUEST")
        assert answer.json()["error"].startswith("symbol: ")
