"""What a wallet holds of an SPL token, read from a real node."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from solders.instruction import Instruction
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from solders.system_program import CreateAccountParams, create_account
from spl.token import instructions as spl
from spl.token import models
from spl.token.constants import TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID

from indexer.devchain.solana.sender import Sender
from indexer.devchain.solana.surfpool import Surfpool
from tests.fixtures.service import Serve, Service

pytestmark = pytest.mark.slow
MAINNET = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"
_RENT = 10**7
_MINT_WITH_FEE_BYTES = 278
"""A mint of Token-2022 with the configuration of a transfer fee; its token accounts have 178 bytes."""


@dataclass
class Token:
    """A mint with two accounts of one wallet and one of another."""

    node: Surfpool
    program: Pubkey
    mint: Keypair = field(default_factory=Keypair)
    wallet: Keypair = field(default_factory=Keypair)
    other: Keypair = field(default_factory=Keypair)
    extra: Keypair = field(default_factory=Keypair)

    @property
    def payer(self) -> Pubkey:
        return self.node.payer.pubkey()

    def associated(self, wallet: Keypair) -> Pubkey:
        return spl.get_associated_token_address(wallet.pubkey(), self.mint.pubkey(), self.program)

    def create(self) -> "Token":
        """Give the wallet 1,000 in its associated account and 234 in a second one; 5 to the other."""
        run = Sender(self.node).run
        run([*self._mint(), *self._associated_accounts()], self.mint)
        extra = self.extra.pubkey()
        run(
            [
                _account(self.payer, extra, 178 if self._has_fee else 165, self.program),
                spl.initialize_account3(
                    models.InitializeAccount3Params(
                        program_id=self.program, account=extra, mint=self.mint.pubkey(), owner=self.wallet.pubkey()
                    )
                ),
                self._give(self.associated(self.wallet), 1_000),
                self._give(extra, 234),
                self._give(self.associated(self.other), 5),
            ],
            self.extra,
        )
        return self

    @property
    def _has_fee(self) -> bool:
        return self.program == TOKEN_2022_PROGRAM_ID

    def _mint(self) -> Sequence[Instruction]:
        mint = self.mint.pubkey()
        parts = [_account(self.payer, mint, _MINT_WITH_FEE_BYTES if self._has_fee else 82, self.program)]
        if self._has_fee:
            fee = models.InitializeTransferFeeConfigParams(
                program_id=self.program, mint=mint, transfer_fee_config_authority=self.payer,
                withdraw_withheld_authority=self.payer, transfer_fee_basis_points=1_000, maximum_fee=10**6,
            )  # fmt: skip
            parts.append(spl.initialize_transfer_fee_config(fee))
        parts.append(
            spl.initialize_mint2(
                models.InitializeMint2Params(
                    decimals=6,
                    program_id=self.program,
                    mint=mint,
                    mint_authority=self.payer,
                    freeze_authority=self.payer,
                )
            )
        )
        return parts

    def _associated_accounts(self) -> Sequence[Instruction]:
        return [
            spl.create_associated_token_account(self.payer, wallet.pubkey(), self.mint.pubkey(), self.program)
            for wallet in (self.wallet, self.other)
        ]

    def _give(self, account: Pubkey, amount: int) -> Instruction:
        return spl.mint_to(
            models.MintToParams(
                program_id=self.program, mint=self.mint.pubkey(), dest=account, mint_authority=self.payer, amount=amount
            )
        )


def _account(payer: Pubkey, address: Pubkey, size: int, program: Pubkey) -> Instruction:
    return create_account(
        CreateAccountParams(from_pubkey=payer, to_pubkey=address, lamports=_RENT, space=size, owner=program)
    )


@pytest.fixture
def chains(tmp_path: Path, surfpool: Surfpool) -> Path:
    return chains_file(tmp_path, surfpool.url, surfpool.caip2)


def chains_file(folder: Path, url: str, caip2: str) -> Path:
    path = folder / "chains.toml"
    path.write_text(
        f'[kinds.solana]\ncapabilities = ["index"]\n[chains.solana]\ncaip2 = "{caip2}"\nrpc_urls = ["{url}"]\n'
    )
    return path


async def holding(service: Service, token: object, wallet: object, chain: str = "solana") -> httpx.Response:
    service.services.public_reads._holdings.cache.clear()
    return await service.anonymous.get(f"/api/v2/public/holdings/{chain}/{token}/{wallet}")


async def balance(service: Service, token: Token, wallet: Keypair) -> int:
    answer = await holding(service, token.mint.pubkey(), wallet.pubkey())
    assert answer.status_code == 200, answer.text
    return int(answer.json()["balance"])


@pytest.mark.parametrize("program", [TOKEN_PROGRAM_ID, TOKEN_2022_PROGRAM_ID], ids=["spl_token", "token_2022"])
async def test_a_holding_is_the_sum_of_all_accounts_of_the_wallet(
    serve: Serve, chains: Path, surfpool: Surfpool, program: Pubkey
) -> None:
    token = Token(surfpool, program).create()
    mint, run = token.mint.pubkey(), Sender(surfpool).run
    async with serve(chains=chains) as service:
        answer = await holding(service, mint, token.wallet.pubkey())
        body = answer.json()
        reached = body.pop("asOf")
        assert body == {
            "chain": "solana", "chainId": surfpool.caip2, "token": str(mint), "wallet": str(token.wallet.pubkey()),
            "balance": "1234", "holds": True,
        }  # fmt: skip
        assert reached["block"] - surfpool.slot() in (0, 1)  # the node answers from the block that it is making
        assert reached["time"].startswith("20")
        assert answer.headers["cache-control"] == "public, max-age=30, stale-while-revalidate=30"
        assert await balance(service, token, token.other) == 5

        run(
            [
                spl.freeze_account(
                    models.FreezeAccountParams(
                        program_id=program, account=token.extra.pubkey(), mint=mint, authority=token.payer
                    )
                )
            ]
        )
        assert await balance(service, token, token.wallet) == 1_234
        source, target = token.associated(token.wallet), token.associated(token.other)
        moved = spl.transfer_checked(
            models.TransferCheckedParams(
                program_id=program,
                source=source,
                mint=mint,
                dest=target,
                owner=token.wallet.pubkey(),
                amount=1_000,
                decimals=6,
            )
        )
        run([moved], token.wallet)
        fee = 100 if program == TOKEN_2022_PROGRAM_ID else 0  # withheld: it is not the wallet's
        assert await balance(service, token, token.wallet) == 234
        assert await balance(service, token, token.other) == 1_005 - fee
        closed = models.CloseAccountParams(
            program_id=program, account=source, dest=token.payer, owner=token.wallet.pubkey()
        )
        run([spl.close_account(closed)], token.wallet)
        assert await balance(service, token, token.wallet) == 234
        assert await balance(service, token, Keypair()) == 0


async def test_what_is_no_mint_is_404(serve: Serve, chains: Path, surfpool: Surfpool) -> None:
    token = Token(surfpool, TOKEN_PROGRAM_ID).create()
    wallet, mint = token.wallet.pubkey(), token.mint.pubkey()
    nowhere, evm = Keypair().pubkey(), "0x" + "ab" * 20
    async with serve(chains=chains) as service:
        for address, holder in (
            (nowhere, wallet), (token.associated(token.wallet), wallet), (TOKEN_PROGRAM_ID, wallet), (wallet, wallet),
            (surfpool.payer.pubkey(), wallet), (evm, wallet), (mint, evm), (f"{mint}1", wallet),
            (str(mint)[:-2], wallet), (str(mint).lower(), wallet), (mint, f"{wallet}1"),
        ):  # fmt: skip
            answer = await holding(service, address, holder)
            assert (answer.status_code, answer.json()["code"]) == (404, "not_found"), (address, holder)
        for chain in ("sol", "SOLANA", "900900"):
            assert (await holding(service, mint, wallet, chain)).status_code == 404
        # A program can hold tokens: its address is no wallet's, and still has a balance.
        assert (await holding(service, mint, token.associated(token.wallet))).json()["balance"] == "0"


@pytest.mark.parametrize("wrong", ["another cluster", "no node"])
async def test_an_unreadable_chain_is_503_and_never_zero(
    serve: Serve, tmp_path: Path, surfpool: Surfpool, wrong: str
) -> None:
    token = Token(surfpool, TOKEN_PROGRAM_ID).create()
    url = surfpool.url if wrong == "another cluster" else "http://127.0.0.1:9"
    caip2 = MAINNET if wrong == "another cluster" else surfpool.caip2
    async with serve(chains=chains_file(tmp_path, url, caip2), chain_timeout_seconds=1) as service:
        answer = await holding(service, token.mint.pubkey(), token.wallet.pubkey())
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable"), answer.text
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["retry-after"]
