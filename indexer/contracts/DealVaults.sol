// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {TokenRedemptions} from "./TokenRedemptions.sol";
import {TokenSwaps} from "./TokenSwaps.sol";

/// @title The vaults of deals on one chain
/// @notice Rules of all swaps and redemptions. There is no owner, no upgrade, and no way out of a vault but these: to
/// holders by its terms, and back to who paid it in. One lock covers all vaults.
contract DealVaults is TokenSwaps, TokenRedemptions {
    constructor(address registry_) EIP712("Regalia Deal Vaults", "1") TokenRedemptions(registry_) {}
}
