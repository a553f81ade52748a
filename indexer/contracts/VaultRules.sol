// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";
import {DealVault} from "./DealVault.sol";

/// @title What swaps and redemptions share
/// @notice The id of a vault is the hash of its terms, its depositor among them, and only the depositor opens it, with
/// the whole deposit in the same call. So a vault is opened once, by nobody else, and is never there without its money.
abstract contract VaultRules is ReentrancyGuard {
    using SafeERC20 for IERC20;

    event VaultOpened(bytes32 indexed deal, bytes32 indexed id, address indexed depositor, address vault, uint256 deposit);
    event VaultClosed(bytes32 indexed deal, bytes32 indexed id, address indexed depositor, uint256 returned);

    error InvalidTerms();
    error NotDepositor(address depositor, address sender);
    error AlreadyOpened(bytes32 id);
    error UnknownVault(bytes32 id);
    error WrongDeposit(uint256 expected, uint256 received);
    error TooEarly(uint256 from);
    error TooLate(uint256 until);
    error NothingLeft();

    /// Make the vault of ``id`` and put the deposit into it. What arrives must be the whole of it: a token that takes a
    /// fee would leave the last holders without.
    function _fund(bytes32 deal, bytes32 id, address currency, uint256 deposit) internal returns (DealVault vault) {
        bool isCoin = currency == address(0);
        if (msg.value != (isCoin ? deposit : 0)) revert WrongDeposit(isCoin ? deposit : 0, msg.value);
        vault = new DealVault{salt: id, value: msg.value}();
        emit VaultOpened(deal, id, msg.sender, address(vault), deposit);
        if (isCoin) return vault; // coins that were there before belong to the depositor at the close
        uint256 before = IERC20(currency).balanceOf(address(vault));
        IERC20(currency).safeTransferFrom(msg.sender, address(vault), deposit);
        uint256 received = IERC20(currency).balanceOf(address(vault)) - before;
        if (received != deposit) revert WrongDeposit(deposit, received);
    }

    /// Return whatever the vault still holds to who paid it in.
    function _return(DealVault vault, bytes32 deal, bytes32 id, address currency, address depositor) internal {
        uint256 rest = vault.balanceOf(currency);
        if (rest == 0) revert NothingLeft();
        emit VaultClosed(deal, id, depositor, rest);
        vault.pay(currency, depositor, rest);
    }
}
