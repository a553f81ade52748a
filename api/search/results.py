"""Wire results from the rows of the warehouse."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any
from urllib.parse import quote

from api.claims.evidence import Evidence
from api.claims.schemas import CopyEvidence
from api.http.times import unix_timestamp
from api.search.ranking import Level
from api.search.schemas import Authorities, CopyVerdict, Explanation, RegistrationFigures, SearchResult, TokenFigures
from warehouse.domain.addresses import address_text
from warehouse.domain.chains import Chain
from warehouse.domain.lifecycle import SymbolStatus
from warehouse.domain.trust import TRUST_FLAGS

_SCORE_UNIT = Decimal("1e-9")


def available_result(symbol: str, chain: Chain, site_url: str) -> SearchResult:
    """The result of a chain without a token of the symbol."""
    return SearchResult(
        chain_id=chain.chain_id,
        chain_name=chain.name,
        chain_key=chain.key,
        source="indexer",
        sources=["indexer"],
        has_crown=False,
        share_url=page_url(site_url, chain, symbol),
        token=TokenFigures(address=None, symbol=symbol),
        registration=None,
    )


def token_result(
    chain: Chain, address: str, document: Mapping[str, Any], status: SymbolStatus, site_url: str
) -> SearchResult:
    """A token, from its document; ``address`` in hexadecimal."""
    shown = address_text(address)
    registered = status != SymbolStatus.UNCLAIMED
    symbol = document["symbol"].upper()
    return SearchResult(
        chain_id=chain.chain_id,
        chain_name=chain.name,
        chain_key=chain.key,
        source=document["sources"][0],
        sources=document["sources"],
        has_crown=registered,
        share_url=page_url(site_url, chain, symbol, None if registered else shown),
        token=TokenFigures(
            address=shown,
            symbol=document["symbol"],
            name=document["name"] or None,
            name_source=document["name_source"] or None,
            logo_url=document["logo_url"] or None,
            website=document["website"] or None,
            twitter=document["twitter"] or None,
            telegram=document["telegram"] or None,
            discord=document["discord"] or None,
            decimals=document["decimals"],
            holders=document["holders"],
            market_cap=_number(document["market_cap_usd"]),
            fdv=_number(document["fdv_usd"]),
            volume24h=_number(document["volume_24h_usd"]),
            price_usd=_number(document["price_usd"]),
            price_change24h=_number(document["price_change_24h"]),
            liquidity=_number(document["liquidity_usd"]),
            heartbeat_score=_number(document["heartbeat_score"]),
            token_rank=document["token_rank"],
            is_copy=bool(document["is_copy"]),
            program=document.get("program") or None,
            authorities=_authorities(document),
            trust_flags=trust_flags(document),
        ),
        registration=_registration(chain, shown, document, status),
        as_of_block=document["as_of_block"],
        as_of_time=unix_timestamp(document["as_of_time"]),
    )


def trust_flags(document: Mapping[str, Any]) -> list[str] | None:
    """What holders should know of a token; None on chains whose tokens have no flags."""
    return document["trust_flags"] if document.get("program") else None


def explanation(
    level: int,
    status: SymbolStatus,
    market_score: int,
    chain_rank: int,
    document: Mapping[str, Any] | None,
    chains: Mapping[int, Chain],
    figures: Evidence | None,
    same_symbol_on: list[str],
) -> Explanation:
    """The terms of one result; ``market_score`` in billionths."""
    copied = document if document is not None and document["is_copy"] else None
    return Explanation(
        level=Level(level).name.lower(),
        is_copy=copied is not None,
        copy_of=_account(chains, copied["copy_of_chain_id"], copied["copy_of_address"]) if copied else None,
        copy_rule=copied["copy_rule"] if copied else None,
        copy_evidence=None if figures is None else CopyEvidence.model_validate(figures.as_json()),
        same_symbol_on=same_symbol_on,
        status=status.text,
        status_priority=int(status),
        market_score=market_score * _SCORE_UNIT,
        chain_priority=chain_rank,
        trust_flags=None if document is None or not document.get("program") else _meanings(document["trust_flags"]),
    )


def copy_verdict(
    document: Mapping[str, Any], chains: Mapping[int, Chain], figures: Evidence | None
) -> CopyVerdict | None:
    """Why a token is a copy; None if it is none."""
    if not document["is_copy"]:
        return None
    return CopyVerdict(
        rule=document["copy_rule"],
        original=_account(chains, document["copy_of_chain_id"], document["copy_of_address"]),
        evidence=None if figures is None else CopyEvidence.model_validate(figures.as_json()),
    )


def page_url(site_url: str, chain: Chain, symbol: str, token: str | None = None) -> str:
    """The page of a symbol on a chain, or of one token that is not the registered one."""
    page = f"{site_url}/{chain.key}/{quote(symbol, safe='')}"
    return page if token is None else f"{page}?token={token}"


def _registration(chain: Chain, token: str, document: Mapping[str, Any], status: SymbolStatus) -> RegistrationFigures:
    if status == SymbolStatus.UNCLAIMED:
        return RegistrationFigures(status=status.text)
    return RegistrationFigures(
        status=status.text,
        token_id=document["registration_token_id"],
        owner=_some_address(chain, document["registration_owner"]),
        manager=_some_address(chain, document["registration_manager"]),
        token_address=token,
        crown_contract_address=_some_address(chain, document["registry_address"]),
        verification_method=document["verification_method"] or None,
        verified_at=unix_timestamp(document["verified_at"]) if document["verified_at"] else None,
        mint_timestamp=document["registered_at"],
    )


def _authorities(document: Mapping[str, Any]) -> Authorities | None:
    """Who may do what with a mint; None on chains whose tokens have no such accounts, and in rows of earlier
    versions."""
    if not document.get("program"):
        return None
    held = {name: document[f"{name}_authority"] for name in ("mint", "freeze", "update")}
    return Authorities(**{name: address_text(digits) if digits else None for name, digits in held.items()})


def _meanings(flags: Iterable[str]) -> dict[str, str]:
    return {flag: TRUST_FLAGS[flag] for flag in flags if flag in TRUST_FLAGS}


def _some_address(chain: Chain, digits: str) -> str | None:
    return address_text(digits) if digits else None


def _account(chains: Mapping[int, Chain], chain_id: int, digits: str) -> str:
    chain = chains.get(chain_id)
    if chain is None:
        return f"eip155:{chain_id}:0x{digits}"
    return f"{chain.caip2}:{address_text(digits)}"


def _number(text: str | None) -> Decimal | None:
    return None if text is None else Decimal(text)
