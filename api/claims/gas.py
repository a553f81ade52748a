"""What a mint costs in gas."""

from dataclasses import dataclass
from typing import Any

from api.claims.schemas import FeeEstimate
from indexer.chains.errors import NodeUnavailable, RpcError
from indexer.chains.evm.reader import EvmReader, quantity

# A first mint uses about 215,000. This is the estimate for wallets that cannot be simulated.
TYPICAL_MINT_GAS = 300_000


@dataclass(frozen=True, slots=True)
class GasReading:
    """Gas of a mint, and the price of gas in wei or None if it is unknown."""

    price: int | None
    used: int = TYPICAL_MINT_GAS

    @property
    def limit(self) -> int:
        """The gas limit: the estimate plus a fifth."""
        return self.used + self.used // 5


async def read_gas(reader: EvmReader) -> GasReading:
    """The price of gas now."""
    return GasReading(price=quantity(await reader.request("eth_gasPrice")))


async def estimate_mint(reader: EvmReader, wallet: str, registry: str, data: str, value: int) -> GasReading:
    """The price of gas now and the gas of this mint. A wallet that cannot pay yet, or is not deployed yet, gets the
    usual estimate, which is for information only."""
    transaction = {"from": wallet, "to": registry, "data": data, "value": hex(value)}
    price, used = await reader.settle([("eth_gasPrice", ()), ("eth_estimateGas", (transaction,))])
    return GasReading(price=quantity(price), used=TYPICAL_MINT_GAS if isinstance(used, RpcError) else _checked(used))


def fee_estimate(gas: GasReading, fee_wei: int | None) -> FeeEstimate:
    """The estimate in both documented forms."""
    most = None if gas.price is None else 2 * gas.price
    cost = None if gas.price is None else gas.used * gas.price
    total = None if cost is None or fee_wei is None else cost + fee_wei
    return FeeEstimate(
        gas_limit=hex(gas.limit),
        max_fee_per_gas=_hex(most),
        contract_fee=_hex(fee_wei),
        gas_estimate=hex(gas.used),
        gas_price=_hex(gas.price),
        total_gas_cost=_hex(cost),
        total_estimate=_hex(total),
    )


def _hex(value: int | None) -> str | None:
    return None if value is None else hex(value)


def _checked(answer: Any) -> int:
    used = quantity(answer)
    if used <= 0:
        raise NodeUnavailable("the node estimated no gas")
    return used
