"""Bad input of the Solana claim routes: what is refused, with which code, and that the message names the field."""

from typing import Any

import pytest
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from indexer.chains.solana.accounts import SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM
from indexer.chains.solana.mint_accounts import metaplex_address
from indexer.contracts.solana import program
from tests.factories.mint_accounts import extended, metaplex_data, mint_data, own_metadata_data, pointer_data
from tests.fixtures.service import Service
from tests.fixtures.solana_claims import RENT, SolanaClaims, build

pytestmark = pytest.mark.slow
EVM = "0x6982508145454Ce325dDbE47a25d4ec3d2311933"
OFF_CURVE = str(Pubkey.find_program_address([b"vault"], Pubkey.from_string(TOKEN_PROGRAM))[0])
WALLET, MINT = str(Keypair().pubkey()), str(Keypair().pubkey())


BAD: tuple[tuple[dict[str, Any], str], ...] = (
    ({"claimer": EVM}, "claimer: is an EVM address; on Solana it must be 32 bytes in base58"),
    ({"claimer": WALLET[:-1] + "0"}, "claimer: must be 32 bytes in base58"),
    ({"claimer": WALLET.replace(WALLET[5], "l")}, "claimer: must be 32 bytes in base58"),
    ({"claimer": WALLET + "1"}, "claimer: must be 32 bytes in base58"),
    ({"claimer": ""}, "claimer: must be 32 bytes in base58"),
    ({"claimer": OFF_CURVE}, "claimer: must be a wallet: this address is off the Ed25519 curve"),
    ({"claimer": 7}, "claimer: must be text"),
    ({"claimer": None}, "claimer: "),
    ({"tokenMint": EVM}, "tokenMint: is an EVM address; on Solana it must be 32 bytes in base58"),
    ({"tokenMint": "not base58!"}, "tokenMint: must be 32 bytes in base58"),
    ({"symbol": ""}, "symbol: "),
    ({"symbol": "TOOLONGSYMBOL"}, "symbol: "),
    ({"symbol": "Ümlaut"}, "symbol: "),
)


async def test_bad_fields_are_named(solana_claims: SolanaClaims, solana_service: Service) -> None:
    for changed, message in BAD:
        body = {"claimer": WALLET, "symbol": "GOOD", "tokenMint": MINT, **changed}
        for route in ("build", "quote"):
            answer = await solana_service.post(f"/claim/solana/{route}", body)
            assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_INVALID_INPUT"), answer.text
            assert answer.json()["error"].startswith(message)
    assert solana_claims.rows_written() == {"claim_authorization": 0, "registration": 0, "event_log": 0}


async def test_bodies_that_are_no_claim(solana_service: Service) -> None:
    fields = f'"claimer": "{WALLET}", "tokenMint": "{MINT}"'
    for route in ("build", "quote"):
        for text, status, problem in (
            (f'{{{fields}, "symbol": "GOOD", "claimer": "{WALLET}"}}', 400, "body: has the member 'claimer' twice"),
            (f'{{{fields}, "symbol": "\\ud800"}}', 400, "symbol: must be text"),
            (f'{{{fields}, "symbol": "\uff27\uff2f\uff2f\uff24"}}', 400, "symbol: must be 1 to 12 letters"),
            (f'{{{fields}, "symbol": "G\u0430OD"}}', 400, "symbol: must be 1 to 12 letters"),
            (f'{{{fields}, "symbol": "GOOD ", "x": NaN}}', 400, "body: "),
            (f"[{{{fields}}}]", 400, "body: "),
            (f"{{{fields}}}", 400, "symbol: "),
            (f'{{{fields}, "symbol": "{"A" * 70_000}"}}', 413, "body: is larger than"),
        ):
            answer = await solana_service.client.post(
                f"/api/v2/claim/solana/{route}", content=text.encode(), headers={"Content-Type": "application/json"}
            )
            assert answer.status_code == status, (text[:200], answer.text)
            assert answer.json()["error"].startswith(problem), (text[:200], answer.text)


async def test_addresses_that_are_no_token(solana_claims: SolanaClaims, solana_service: Service) -> None:
    node, wallet = solana_claims.node, solana_claims.wallet()

    def account(data: bytes, owner: str) -> str:
        address = Keypair().pubkey()
        node.set_account(address, lamports=RENT, data=data, owner=Pubkey.from_string(owner))
        return str(address)

    def token_2022(**extensions: bytes) -> str:
        named = {"pointer": 18, "metadata": 19}
        return account(extended({named[name]: value for name, value in extensions.items()}), TOKEN_2022_PROGRAM)

    stranger = bytes(Keypair().pubkey())
    pointed = str(Keypair().pubkey())
    raw = bytes(Pubkey.from_string(pointed))
    mint = extended({18: pointer_data(raw), 19: own_metadata_data(stranger, "Name", "THEFT", raw)})
    node.set_account(
        Pubkey.from_string(pointed), lamports=RENT, data=mint, owner=Pubkey.from_string(TOKEN_2022_PROGRAM)
    )
    item = solana_claims.mint("THEFT", wallet)
    solana_claims.describe(item, "THEFT", bytes(wallet.pubkey()), standard=0)
    forged = solana_claims.mint(None, wallet)
    node.set_account(  # at Metaplex's address, but not made by its program
        Pubkey(metaplex_address(bytes(Pubkey.from_string(forged)))),
        lamports=RENT,
        data=metaplex_data(bytes(Pubkey.from_string(forged)), "Name", "THEFT", bytes(wallet.pubkey())),
        owner=solana_claims.registry,
    )
    for address, reason in (
        (MINT, "there is no account at this address"),
        (str(wallet.pubkey()), "the account at this address is not a mint"),
        (account(bytes(165), TOKEN_PROGRAM), "the account at this address is not a mint"),
        (account(bytes(5 << 20), TOKEN_PROGRAM), "the account at this address is not a mint"),
        (account(mint_data(initialised=0), TOKEN_PROGRAM), "the account at this address is not a mint"),
        (account(mint_data(), str(solana_claims.registry)), "the account at this address is not a mint"),
        (forged, "the mint has no metadata that count"),
        (token_2022(metadata=own_metadata_data(stranger, "Name", "THEFT", stranger)), "the mint has no metadata"),
        (token_2022(pointer=pointer_data(stranger)), "the mint has no metadata that count"),
        (pointed, "the mint has no metadata that count"),
        (item, "the mint is of a single item"),
    ):
        answer = await build(solana_service, wallet, address, "THEFT")
        body = answer.json()
        assert (answer.status_code, body["code"], body["check"]) == (422, "TOKEN_NOT_REGISTRABLE", "not_a_token")
        assert body["error"].startswith(f"tokenMint: {reason}"), (address, body["error"])
        checked = {"wallet": str(wallet.pubkey()), "tokenAddress": address, "chainId": "solana", "symbol": "THEFT"}
        qualified = (await solana_service.post("/registration/check-qualify", checked)).json()
        assert (qualified["eligible"], qualified["reason"]) == (False, "not_claimable")


async def test_the_symbol_must_be_the_tokens_own(solana_claims: SolanaClaims, solana_service: Service) -> None:
    wallet, mint = solana_claims.claimable("GENUINE")
    for claimed in ("OTHER", "GENUINE1"):
        answer = (await build(solana_service, wallet, mint, claimed)).json()
        assert (answer["code"], answer["check"]) == ("TOKEN_NOT_REGISTRABLE", "symbol_format")


async def test_a_claimer_that_a_program_owns(solana_claims: SolanaClaims, solana_service: Service) -> None:
    """A multisig account has an address with a private key, which one of its signers alone may know."""
    maker = Keypair()
    mint = solana_claims.mint("SHARED", maker)
    solana_claims.publish_control(str(maker.pubkey()), mint, "mint_authority")
    solana_claims.publish_token(mint, "SHARED")
    for owner, data in ((TOKEN_PROGRAM, bytes(355)), (SYSTEM_PROGRAM, bytes(80)), (str(solana_claims.registry), b"")):
        solana_claims.node.set_account(maker.pubkey(), lamports=10 * RENT, data=data, owner=Pubkey.from_string(owner))
        answer = await build(solana_service, maker, mint, "SHARED")
        assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_INVALID_INPUT"), answer.text
        assert answer.json()["error"].startswith("claimer: must be a wallet: a program owns this account")
        checked = {"wallet": str(maker.pubkey()), "tokenAddress": mint, "symbol": "SHARED"}
        qualified = (await solana_service.post("/registration/check-qualify", checked)).json()
        assert (qualified["eligible"], qualified["reason"]) == (False, "not_eligible")


async def test_evm_claim_routes_refuse_solana(solana_claims: SolanaClaims, solana_service: Service) -> None:
    claim = {"symbol": "GOOD", "chainId": "solana", "tokenAddress": MINT}
    signed = {**claim, "walletAddress": WALLET, "signature": "0x" + "00" * 65, "timestamp": 1}
    for path, body in (
        ("/claim/message", {**claim, "claimerAddress": WALLET}),
        ("/claim/verify", signed),
        ("/claim", {**claim, "walletAddress": WALLET, "proofHash": "0x" + "00" * 32}),
    ):
        answer = await solana_service.post(path, body)
        assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_INVALID_INPUT")
        assert "/api/v2/claim/solana" in answer.json()["error"]


async def test_status_of_bad_symbols(solana_claims: SolanaClaims, solana_service: Service) -> None:
    for symbol in ("TOOLONGSYMBOL", "%00", "%EF%BC%A7", "A%20B", "A-B"):
        assert (await solana_service.get(f"/claim/solana/status/{symbol}")).json()["error"].startswith("symbol: ")
    free = (await solana_service.get("/claim/solana/status/nobody")).json()
    assert (free["symbol"], free["status"], free["tokenId"], free["owner"]) == ("NOBODY", "unclaimed", None, None)
    assert free["crownPda"] == str(program.crown_address(solana_claims.registry, "NOBODY"))


async def test_check_qualify_of_mixed_addresses(solana_claims: SolanaClaims, solana_service: Service) -> None:
    async def ask(**body: Any) -> tuple[int, str]:
        answer = await solana_service.post("/registration/check-qualify", body)
        return answer.status_code, answer.json().get("error", "")

    on_solana = "is an EVM address; on Solana it must be 32 bytes in base58"
    assert await ask(wallet=EVM, tokenAddress=MINT) == (400, f"wallet: {on_solana}")
    assert await ask(wallet=WALLET, tokenAddress=EVM, chainId="solana") == (400, f"tokenAddress: {on_solana}")
    assert (await ask(wallet=WALLET, tokenAddress=EVM))[0] == 400
    assert (await ask(wallet=OFF_CURVE, tokenAddress=MINT, chainId="sol"))[1].startswith("wallet: must be a wallet")


async def test_solana_without_a_registry_is_not_claimed_on(service: Service) -> None:
    answer = await build(service, WALLET, MINT, "GOOD")
    assert (answer.status_code, answer.json()["error"]) == (400, "tokenMint: tokens are not registered on Solana here")
    status = await service.get("/claim/solana/status/GOOD")
    assert (status.status_code, status.json()["error"]) == (400, "symbol: tokens are not registered on Solana here")
