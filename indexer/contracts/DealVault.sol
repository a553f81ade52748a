// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// @title The money of one swap or redemption
/// @notice Each has a vault of its own, so that what a token does to one balance changes no other. Only the contract
/// that made the vault can pay from it, and that one follows its rules: it has no owner.
contract DealVault {
    using SafeERC20 for IERC20;

    address private immutable _rules = msg.sender;

    error NotRules(address sender);
    error PaymentRefused(address to);

    constructor() payable {}

    /// @notice Pay base units of a currency; zero is the native coin.
    function pay(address currency, address to, uint256 amount) external {
        if (msg.sender != _rules) revert NotRules(msg.sender);
        if (currency != address(0)) {
            IERC20(currency).safeTransfer(to, amount);
            return;
        }
        (bool paid,) = to.call{value: amount}("");
        if (!paid) revert PaymentRefused(to);
    }

    /// @notice What the vault holds of a currency.
    function balanceOf(address currency) external view returns (uint256) {
        return currency == address(0) ? address(this).balance : IERC20(currency).balanceOf(address(this));
    }
}
