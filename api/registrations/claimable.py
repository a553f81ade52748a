"""The tokens a wallet can claim, from the provenance index."""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import orjson

from api.claims.methods import EVM, SOLANA
from api.claims.schemas import VerificationMethod
from api.clock import Clock
from api.http.addresses import are_registrable
from api.http.rendering import dumps
from api.registrations.qualification import QUALIFICATION_METHODS
from api.registrations.repository import RegistrationRepository
from api.registrations.schemas import Qualification, QualificationMethod
from api.warehouse import WarehouseReader
from warehouse import sql
from warehouse.clickhouse import ArrowTable
from warehouse.domain.addresses import AddressFormat, digits_of, stored_from_digits
from warehouse.domain.chains import Chains
from warehouse.domain.majors import Majors
from warehouse.domain.registrable import RESERVED, SymbolRules
from warehouse.domain.symbols import fold_plain, is_registrable_symbol

Octets: TypeAlias = npt.NDArray[np.uint8]
_LOWER = np.frombuffer(b"0123456789abcdef", np.uint8)
_UPPER = np.frombuffer(b"0123456789ABCDEF", np.uint8)
SCANNED = ("arbitrum", "base", "polygon", "bnb", "gnosis", "eth")
# The same for every token, so it is serialized once.
_DEPLOYER = orjson.Fragment(
    dumps(
        Qualification(
            method=QualificationMethod.DEPLOYER,
            confidence=EVM[VerificationMethod.DEPLOYER].confidence,
            message=EVM[VerificationMethod.DEPLOYER].description,
        )
    )
)
_ON_SOLANA = {
    QUALIFICATION_METHODS[method].value: orjson.Fragment(
        dumps(
            Qualification(
                method=QUALIFICATION_METHODS[method],
                confidence=SOLANA[method].confidence,
                message=SOLANA[method].description,
            )
        )
    )
    for method in SOLANA
    if method is not VerificationMethod.MAJORITY_HOLDER  # check-qualify's alone, as the specification says
}


@dataclass(frozen=True, slots=True)
class ClaimableFinder:
    """Lists a wallet's claimable tokens."""

    warehouse: WarehouseReader
    repository: RegistrationRepository
    chains: Chains
    majors: Majors
    clock: Clock

    async def find(self, wallet: str) -> list[dict[str, Any]]:
        """Tokens that the wallet deployed, on Solana also those of which it is an authority, that can be registered and
        are not, as they are on the wire: in the order of the scanned chains, on Solana the surest qualification first.
        A wallet may have thousands.

        Raises:
            WarehouseError, StoreUnavailable: it cannot be said now.
        """
        if not wallet.startswith("0x"):
            return await self._on_solana(wallet)
        deployed = await self._deployed(wallet)
        if not deployed.num_rows:
            return []
        free = await self._unregistered(deployed)
        columns = (free.column(name).to_pylist() for name in ("chain_id", "symbol", "name"))
        checksums = _with_checksums(_octets(free.column("address"), 20), _octets(free.column("address_hash"), 32))
        return [
            {"address": address, "chainId": str(chain_id), "symbol": symbol, "name": name, "qualification": _DEPLOYER}
            for address, chain_id, symbol, name in zip(checksums, *columns, strict=True)
        ]

    async def _on_solana(self, wallet: str) -> list[dict[str, Any]]:
        chain = next(one for one in self.chains.by_key.values() if one.address_format is AddressFormat.BASE58)
        if not chain.takes_claims or wallet in (*chain.relayers, *chain.launchpads):
            return []
        asked = {"wallet": digits_of(wallet), "chain_id": chain.chain_id, "now": int(self.clock.now().timestamp())}
        found = await self.warehouse.rows(sql.load("queries/registrations/claimable_solana"), asked)
        rules = SymbolRules(self.majors)
        rows = [row for row in found if is_registrable_symbol(row["symbol"]) and rules.obstacle(row["symbol"]) is None]
        tokens = [stored_from_digits(row["address"]) for row in rows]
        keys = [row["symbol"].upper() for row in rows]
        taken_tokens, taken_keys = (await self.repository.registered_among({chain.chain_id: (tokens, keys)}))[
            chain.chain_id
        ]
        return [
            {
                "address": token,
                "chainId": chain.caip2,
                "symbol": row["symbol"],
                "name": row["name"],
                "qualification": _ON_SOLANA[row["method"]],
            }
            for row, token, key in zip(rows, tokens, keys, strict=True)
            if token not in taken_tokens and key not in taken_keys
        ]

    async def _deployed(self, wallet: str) -> ArrowTable:
        """Tokens that the wallet deployed, whose symbol no rule forbids: ``chain_id``, ``address``,
        ``address_hash`` (Keccak-256 of the address in hexadecimal, for its checksum), ``symbol``, ``name``."""
        chains = (self.chains.by_key[key] for key in SCANNED)
        scanned = [chain.chain_id for chain in chains if chain.takes_claims]
        table = await self.warehouse.arrow(
            sql.load("queries/registrations/claimable"), {"wallet": wallet[2:], "chains": scanned}
        )
        table = table.filter(are_registrable(table.column("symbol")))
        # All have the form of a symbol; of SymbolRules, reserved words and names of majors are left. One by one,
        # thousands of symbols would take too long.
        symbols = table.column("symbol").to_pylist()
        allowed = [
            symbol.upper() not in RESERVED and not self.majors.is_name(folded)
            for symbol, folded in zip(symbols, fold_plain(symbols), strict=True)
        ]
        return table.filter(np.array(allowed, bool))

    async def _unregistered(self, deployed: ArrowTable) -> ArrowTable:
        """Those whose token is not registered, nor their symbol on the same chain."""
        tokens = _hexadecimal(_octets(deployed.column("address"), 20))
        keys = [symbol.upper() for symbol in deployed.column("symbol").to_pylist()]
        chain_ids = deployed.column("chain_id").to_numpy()
        starts = [0, *(np.flatnonzero(np.diff(chain_ids)) + 1)]
        parts = {
            int(chain_ids[start]): (tokens[start:end], keys[start:end])
            for start, end in zip(starts, [*starts[1:], len(keys)], strict=True)
        }
        registered = await self.repository.registered_among(parts)
        free: list[bool] = []
        for chain_id, asked in parts.items():
            taken_tokens, taken_keys = registered[chain_id]
            free += [token not in taken_tokens and key not in taken_keys for token, key in zip(*asked, strict=True)]
        return deployed.filter(np.array(free, bool))


def _octets(column: ArrowTable, width: int) -> Octets:
    """The values of a column of ``width`` bytes each, as rows."""
    if not len(column):
        return np.empty((0, width), np.uint8)  # an empty column has no buffer
    values = column.combine_chunks()
    whole = np.frombuffer(values.buffers()[1], np.uint8)
    return whole[values.offset * width : (values.offset + len(values)) * width].reshape(-1, width)


def _digits(octets: Octets) -> Octets:
    """Values of the hexadecimal digits of each row."""
    return np.stack((octets >> 4, octets & 15), axis=-1).reshape(len(octets), 2 * octets.shape[1])


def _hexadecimal(octets: Octets) -> list[str]:
    return _lines(_LOWER[_digits(octets)])


def _with_checksums(addresses: Octets, hashes: Octets) -> list[str]:
    """Checksummed addresses (EIP-55), computed on whole columns: one by one, thousands take a tenth of a second."""
    digits = _digits(addresses)
    return _lines(np.where(_digits(hashes[:, :20]) >= 8, _UPPER[digits], _LOWER[digits]))


def _lines(letters: Octets) -> list[str]:
    """Rows of letters as texts that begin with 0x."""
    width = letters.shape[1] + 3
    lines = np.full((len(letters), width), ord("\n"), np.uint8)
    lines[:, :2] = np.frombuffer(b"0x", np.uint8)
    lines[:, 2:-1] = letters
    return lines.tobytes().decode().splitlines()
