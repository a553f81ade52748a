"""Deploy the registry program and make its config.

Every address follows from the deployer's key and from what is deployed, and each step first reads how far the chain is.
So the same command, repeated after a kill at any instant, finishes what it began, and then changes nothing; another
code, signer, guardian, treasury or term gives another program. Nobody else can write to the addresses: their keys are
derived from the deployer's.
"""

import asyncio
import hashlib
import hmac
import struct
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Final

from solders.keypair import Keypair
from solders.pubkey import Pubkey
from solders.system_program import CreateAccountParams, TransferParams, create_account, transfer

from indexer.chains.solana.accounts import CONFIRMED, SYSTEM_PROGRAM, Account, multiple_accounts, read_accounts
from indexer.chains.solana.reader import SolanaReader
from indexer.contracts.sending import SendError
from indexer.contracts.solana import idl, loader, program
from indexer.contracts.solana.sending import Step, send, send_all

_DAY = 86_400
_SIGNATURE_FEE = 5_000
_SLOT_PATIENCE = 150


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Delays and limits of a registry. Delays are in seconds, ``paid_from`` in lamports: a claim for less counts as
    free, and only ``free_per_day`` of those are taken in a day of UTC."""

    end_delay: int
    objection_delay: int
    signer_delay: int
    free_per_day: int
    paid_from: int


PUBLIC_TERMS: Final = Terms(
    end_delay=3 * _DAY, objection_delay=7 * _DAY, signer_delay=2 * _DAY, free_per_day=100, paid_from=100_000
)
"""For clusters that people use."""

LOCAL_TERMS: Final = Terms(end_delay=10, objection_delay=20, signer_delay=10, free_per_day=10_000, paid_from=100_000)
"""For development nodes, where nobody wants to wait."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is deployed.

    Attributes:
        signer: the service's signer.
        guardian: replaces the signer and decides about disputed ends.
        treasury: receives fees.
        upgrade_authority: may replace the program's code; None makes it immutable.
    """

    signer: Pubkey
    guardian: Pubkey
    treasury: Pubkey
    upgrade_authority: Pubkey | None
    terms: Terms


@dataclass(frozen=True, slots=True)
class _Accounts:
    program: Account | None
    program_data: Account | None
    buffer: Account | None
    config: Account | None
    treasury: Account | None


class Deployment:
    """One registry, deployed or being deployed by a deployer's key."""

    def __init__(self, reader: SolanaReader, deployer: Keypair, plan: Plan, cluster: bytes) -> None:
        self._reader, self._deployer, self._plan, self._cluster = reader, deployer, plan, cluster
        self._code = program.compiled()
        self._program, self._buffer = self._derived(b"program"), self._derived(b"buffer")

    @property
    def address(self) -> Pubkey:
        """The program's address."""
        return self._program.pubkey()

    async def finish(self) -> None:
        """Take every step that has not been taken.

        Raises:
            SendError: the deployer cannot pay, or the chain refused a step; those before it were taken.
            RpcError: the nodes do not answer.
        """
        found = await self._read()
        if found.program is None:
            await self._deploy(found)
            found = await self._read()
        # Anybody can send lamports to an address, which makes an empty account there.
        if found.config is None or found.config.owner == SYSTEM_PROGRAM:
            await self._initialize(found)

    def _derived(self, role: bytes) -> Keypair:
        plan = self._plan
        keys = (plan.signer, plan.guardian, plan.treasury, plan.upgrade_authority or Pubkey.default())
        parts = [role, self._cluster, hashlib.sha256(self._code).digest(), *map(bytes, keys)]
        parts.append(struct.pack("<5Q", *astuple(plan.terms)))
        return Keypair.from_seed(hmac.digest(self._deployer.secret(), b"".join(parts), "sha256"))

    async def _read(self) -> _Accounts:
        addresses = (
            self.address,
            loader.program_data_address(self.address),
            self._buffer.pubkey(),
            program.config_address(self.address),
            self._plan.treasury,
        )
        answer = await self._reader.request(*_request(addresses))
        return _Accounts(*read_accounts(answer, len(addresses))[1])

    async def _deploy(self, found: _Accounts) -> None:
        rents = await self._rents()
        await self._require_funds(found, rents)
        await self._fill_buffer(found.buffer, rents[0])
        deployer, size = self._deployer.pubkey(), len(self._code)
        creation = CreateAccountParams(
            from_pubkey=deployer,
            to_pubkey=self.address,
            lamports=rents[1],
            space=loader.PROGRAM_BYTES,
            owner=loader.LOADER,
        )
        # One transaction: the deployer's key, which is on a machine, is never left as what may replace the code.
        steps = [
            create_account(creation),
            loader.deploy(self.address, self._buffer.pubkey(), deployer, deployer, size),
            loader.set_upgrade_authority(self.address, deployer, self._plan.upgrade_authority),
        ]
        await send(self._reader, self._deployer, steps, self._program, what="the deployment")

    async def _fill_buffer(self, account: Account | None, rent: int) -> None:
        buffer, deployer = self._buffer.pubkey(), self._deployer.pubkey()
        if account is None:
            creation = CreateAccountParams(
                from_pubkey=deployer,
                to_pubkey=buffer,
                lamports=rent,
                space=loader.BUFFER_HEAD + len(self._code),
                owner=loader.LOADER,
            )
            steps = [create_account(creation), loader.initialize_buffer(buffer, deployer)]
            await send(self._reader, self._deployer, steps, self._buffer, what="the creation of the program's buffer")
        written = b"" if account is None else account.data[loader.BUFFER_HEAD :]
        missing = [
            Step([loader.write(buffer, deployer, offset, piece)])
            for offset, piece in _pieces(self._code)
            if written[offset : offset + len(piece)] != piece
        ]
        if missing:
            await send_all(self._reader, self._deployer, missing, what="the program's code")

    async def _initialize(self, found: _Accounts) -> None:
        await self._wait_until_callable(found.program_data)
        plan, payer = self._plan, self._deployer.pubkey()
        accounts = {"payer": payer, "program": self.address, "config": program.config_address(self.address)}
        terms = {name: getattr(plan.terms, name) for name in Terms.__dataclass_fields__}
        keys = {"signer": plan.signer, "guardian": plan.guardian, "treasury": plan.treasury}
        arguments = {"cluster": self._cluster, **keys, **terms}
        steps = [idl.instruction(self.address, "initialize", accounts, arguments)]
        # A treasury without the least balance of an account would refuse small fees.
        lacking = program.rent(0) - (found.treasury.lamports if found.treasury else 0)
        if lacking > 0:
            steps.append(transfer(TransferParams(from_pubkey=payer, to_pubkey=plan.treasury, lamports=lacking)))
        await send(self._reader, self._deployer, steps, self._program, what="the registry's config")

    async def _wait_until_callable(self, account: Account | None) -> None:
        """A program can be called from the slot after its deployment on."""
        if account is None:
            raise SendError(f"chain {self._reader.chain.key}: {self.address} is deployed without its code")
        deployed_at = loader.ProgramData.decode(account.data).slot
        for _ in range(_SLOT_PATIENCE):
            if await self._reader.request("getSlot", {"commitment": CONFIRMED}) > deployed_at:
                return
            await asyncio.sleep(self._reader.chain.block_seconds)
        raise SendError(f"chain {self._reader.chain.key} makes no blocks")

    async def _rents(self) -> tuple[int, int, int, int]:
        """Of the buffer, the program's account, the program data and the config, in lamports."""
        size = len(self._code)
        sizes = (loader.BUFFER_HEAD + size, loader.PROGRAM_BYTES, loader.PROGRAM_DATA_HEAD + size, program.CONFIG_BYTES)
        calls = [("getMinimumBalanceForRentExemption", (one,)) for one in sizes]
        buffer, own, data, config = await self._reader.settle(calls)
        return int(buffer), int(own), int(data), int(config)

    async def _require_funds(self, found: _Accounts, rents: tuple[int, int, int, int]) -> None:
        """The buffer's lamports come back before the program data take theirs."""
        _, own, data, config = rents
        transactions = len(_pieces(self._code)) + 3
        needed = own + data + config + program.rent(0) + 2 * transactions * _SIGNATURE_FEE
        payer = str(self._deployer.pubkey())
        balance = int((await self._reader.request("getBalance", payer, {"commitment": CONFIRMED}))["value"])
        held = balance + (found.buffer.lamports if found.buffer else 0)
        if held < needed:
            raise SendError(
                f"chain {self._reader.chain.key}: {payer} has {balance} lamports, the deployment may take {needed} "
                "lamports"
            )


def _pieces(code: bytes) -> list[tuple[int, bytes]]:
    size = loader.PIECE_BYTES
    return [(offset, code[offset : offset + size]) for offset in range(0, len(code), size)]


def _request(addresses: Sequence[Pubkey]) -> tuple[str, ...]:
    method, parameters = multiple_accounts([str(one) for one in addresses])
    return (method, *parameters)
