"""May this wallet claim this token? Everything the chain, the warehouse and the store say about it, in one place."""

from dataclasses import dataclass

from api.chains import ChainReaders
from api.claims.control import Control, ControlUnknown, TokenReading, find_control, read_token
from api.claims.messages import Claim
from api.claims.repository import ClaimRepository
from api.claims.rules import Refusal, TokenRules, VerdictUnknown
from api.http.errors import Unavailable
from api.warehouse import WarehouseReader
from indexer.chains.errors import CallFailed, RpcError
from indexer.chains.evm.reader import EvmReader, call_to, quantity, returned, uint_word
from indexer.contracts.registry import contract
from warehouse.domain.majors import Majors
from warehouse.errors import WarehouseError

TOKEN_UNVERIFIED = "TOKEN_UNVERIFIED"  # noqa: S105 - an error code


@dataclass(frozen=True, slots=True)
class Eligibility:
    """Answers questions about claims; each raises Unavailable (TOKEN_UNVERIFIED) when it cannot be answered now."""

    readers: ChainReaders
    warehouse: WarehouseReader
    repository: ClaimRepository
    majors: Majors

    def reader(self, claim: Claim) -> EvmReader:
        """The reader of the claim's chain."""
        return self.readers.of(claim.chain)

    async def read(self, claim: Claim) -> TokenReading:
        """What the token says now."""
        try:
            return await read_token(self.reader(claim), claim.token, claim.wallet)
        except RpcError as error:
            raise unverified() from error

    async def refusal(self, claim: Claim, reading: TokenReading) -> Refusal | None:
        """Why nobody may register the token, or None."""
        rules = TokenRules(self.majors, self.repository, self.warehouse)
        try:
            return await rules.judge(claim, reading, self.reader(claim))
        except (RpcError, WarehouseError, VerdictUnknown) as error:
            raise unverified() from error

    async def registered_id(self, claim: Claim) -> int | None:
        """The registration that holds the symbol on the chain now."""
        registry = claim.chain.contracts["registry"]
        try:
            call = call_to(registry, contract().call("tokenIdOf", claim.symbol))
            answer = (await self.reader(claim).settle([call]))[0]
            if isinstance(answer, CallFailed):
                raise answer
            token_id = uint_word(returned(answer))
        except RpcError as error:
            raise unverified() from error
        if token_id is None:
            raise unverified()  # no registry answers at its address: that is no free symbol
        return token_id or None

    async def control(self, claim: Claim, reading: TokenReading) -> Control:
        """How the wallet controls the token."""
        try:
            return await find_control(claim, reading, self.reader(claim), self.warehouse)
        except (RpcError, ControlUnknown) as error:
            raise unverified() from error

    async def has_code(self, claim: Claim) -> bool:
        """Whether there is a contract at the token's address."""
        try:
            return str(await self.reader(claim).request("eth_getCode", claim.token, "latest")) != "0x"
        except RpcError as error:
            raise unverified() from error

    async def head(self, claim: Claim) -> tuple[int, int]:
        """Number and timestamp of the chain's newest block."""
        try:
            block = await self.reader(claim).request("eth_getBlockByNumber", "latest", False)
            return quantity(block["number"]), quantity(block["timestamp"])
        except (RpcError, TypeError, KeyError) as error:
            raise unverified() from error


def unverified() -> Unavailable:
    """The chain or the warehouse cannot say now; it is no "no"."""
    return Unavailable("the token could not be checked now, try again", code=TOKEN_UNVERIFIED)
