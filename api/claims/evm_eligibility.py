"""Whether a wallet may claim a token on an EVM chain."""

from collections.abc import Sequence
from dataclasses import dataclass

from api.claims.control import TokenReading, ask, find_control, read_token
from api.claims.eligibility import Eligibility
from api.claims.messages import Claim
from api.claims.methods import EVM, Control
from api.claims.schemas import VerificationMethod
from indexer.chains.errors import CallFailed, NodeLied, NodeUnavailable
from indexer.chains.evm.reader import EvmReader, call_to, quantity, returned, text, uint_word
from indexer.chains.jsonrpc import Call
from indexer.contracts.registry import contract
from warehouse.domain.selectors import SYMBOL


@dataclass(frozen=True, slots=True)
class EvmEligibility(Eligibility[TokenReading]):
    """Answers questions about claims on EVM chains."""

    def reader(self, claim: Claim) -> EvmReader:
        """The reader of the claim's chain."""
        return self.readers.of(claim.chain)

    async def read(self, claim: Claim) -> TokenReading:
        """The token's answers now."""
        return await read_token(self.reader(claim), claim.token, claim.wallet)

    async def symbol_of(self, claim: Claim, address: str) -> str | None:
        """The present symbol of another contract on the claim's chain; None where it no longer exists."""
        calls: list[Call] = [("eth_getCode", (address, "latest")), ask(address, SYMBOL)]
        code, symbol = await self.reader(claim).settle(calls)
        return None if code == "0x" else text(returned(symbol))

    async def registered_token_id(self, claim: Claim) -> int | None:
        """The registration that holds the symbol on the chain now."""
        return await self._ask_registry(claim, contract().call("tokenIdOf", claim.symbol)) or None

    async def free_mints_left(self, claim: Claim) -> int:
        """How many free mints the chain's registry takes until midnight UTC."""
        return await self._ask_registry(claim, contract().call("freeMintsLeft"))

    async def _ask_registry(self, claim: Claim, data: str) -> int:
        answer = (await self.reader(claim).settle([call_to(claim.chain.contracts["registry"], data)]))[0]
        if isinstance(answer, CallFailed):
            raise answer
        number = uint_word(returned(answer))
        if number is None:  # there is no registry at this address: that does not make the symbol free
            raise NodeUnavailable("there is no registry at its address")
        return number

    async def control(
        self, claim: Claim, reading: TokenReading, methods: Sequence[VerificationMethod] = tuple(EVM)
    ) -> Control:
        """How the wallet controls the token, if by one of the methods."""
        return await find_control(claim, reading, self.reader(claim), self.warehouse, methods)

    async def exists(self, claim: Claim) -> bool:
        """Whether there is a contract at the token's address."""
        return str(await self.reader(claim).request("eth_getCode", claim.token, "latest")) != "0x"

    async def head(self, claim: Claim) -> tuple[int, int]:
        """Number and timestamp of the chain's newest block."""
        block = await self.reader(claim).request("eth_getBlockByNumber", "latest", False)
        try:
            return quantity(block["number"]), quantity(block["timestamp"])
        except (TypeError, KeyError) as error:
            raise NodeLied("the newest block has no number or no timestamp") from error
