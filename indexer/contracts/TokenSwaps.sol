// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {DealVault} from "./DealVault.sol";
import {VaultRules} from "./VaultRules.sol";

/// @title Swaps of an old token for a new one
/// @notice The depositor pays in what the whole supply of the old token is worth in new ones. Until the window ends
/// everybody swaps at one ratio; old tokens go to the dead address. Afterwards the rest returns to the depositor.
abstract contract TokenSwaps is VaultRules {
    using SafeERC20 for IERC20;

    /// ``newUnits`` base units of the new token are paid for ``oldUnits`` of the old one, up to ``closesAt``.
    struct SwapTerms {
        bytes32 deal;
        address depositor;
        address oldToken;
        address newToken;
        uint128 newUnits;
        uint128 oldUnits;
        uint64 closesAt;
    }

    /// ``supply``: of the old token at the opening; ``swappable``: without what was at the dead address by then.
    struct Swap {
        SwapTerms terms;
        DealVault vault;
        uint256 supply;
        uint256 swappable;
        uint256 swapped;
        uint256 deposit;
    }

    address private constant DEAD = 0x000000000000000000000000000000000000dEaD;
    uint256 private constant MAX_SWAP_WINDOW = 731 days;

    mapping(bytes32 id => Swap) private _swaps;

    event HolderSwapped(
        bytes32 indexed deal, bytes32 indexed id, address indexed account, uint256 given, uint256 paid
    );

    error DepositAboveLimit(uint256 deposit, uint256 limit);
    error SupplyGrew(uint256 atOpening, uint256 now_);
    error BeyondDeposit(uint256 left);
    error PaysTooLittle(uint256 least, uint256 paid);

    /// @notice Open a swap and pay its deposit in, at most ``maxDeposit``: what the supply of the old token is worth now.
    function openSwap(SwapTerms calldata t, uint256 maxDeposit) external payable nonReentrant returns (bytes32 id) {
        if (msg.sender != t.depositor) revert NotDepositor(t.depositor, msg.sender);
        if (t.oldToken == t.newToken || t.newToken == address(0) || t.newUnits == 0 || t.oldUnits == 0) {
            revert InvalidTerms();
        }
        if (block.timestamp >= t.closesAt) revert TooLate(t.closesAt);
        if (t.closesAt > block.timestamp + MAX_SWAP_WINDOW) revert InvalidTerms();
        id = swapIdOf(t);
        Swap storage s = _swaps[id];
        if (address(s.vault) != address(0)) revert AlreadyOpened(id);
        s.terms = t;
        s.supply = IERC20(t.oldToken).totalSupply();
        s.swappable = s.supply - IERC20(t.oldToken).balanceOf(DEAD);
        // Rounded down: so is every payment, and the sum of what is rounded down is never more.
        s.deposit = Math.mulDiv(s.swappable, t.newUnits, t.oldUnits);
        if (s.deposit == 0) revert InvalidTerms();
        if (s.deposit > maxDeposit) revert DepositAboveLimit(s.deposit, maxDeposit);
        s.vault = _fund(t.deal, id, t.newToken, s.deposit);
    }

    /// @notice Give old tokens up for new ones, at least ``minPaid``. What arrives at the dead address counts, so nothing
    /// is paid for twice. If more old tokens were made since the opening, nobody swaps until they are gone: otherwise
    /// whoever can make them would empty the vault.
    function swap(bytes32 id, uint256 amount, uint256 minPaid) external nonReentrant returns (uint256 paid) {
        Swap storage s = _swaps[id];
        if (address(s.vault) == address(0)) revert UnknownVault(id);
        if (block.timestamp > s.terms.closesAt) revert TooLate(s.terms.closesAt);
        uint256 given = _burn(IERC20(s.terms.oldToken), amount);
        uint256 supply = IERC20(s.terms.oldToken).totalSupply();
        if (supply > s.supply) revert SupplyGrew(s.supply, supply);
        if (given > s.swappable - s.swapped) revert BeyondDeposit(s.swappable - s.swapped);
        paid = Math.mulDiv(given, s.terms.newUnits, s.terms.oldUnits);
        s.swapped += given;
        emit HolderSwapped(s.terms.deal, id, msg.sender, given, paid);
        uint256 before = IERC20(s.terms.newToken).balanceOf(msg.sender);
        s.vault.pay(s.terms.newToken, msg.sender, paid);
        uint256 received = IERC20(s.terms.newToken).balanceOf(msg.sender) - before;
        if (received == 0 || received < minPaid) revert PaysTooLittle(minPaid, received);
    }

    /// @notice Return what is left to the depositor, once the window has ended. Anyone may.
    function closeSwap(bytes32 id) external nonReentrant {
        Swap storage s = _swaps[id];
        if (address(s.vault) == address(0)) revert UnknownVault(id);
        if (block.timestamp <= s.terms.closesAt) revert TooEarly(uint256(s.terms.closesAt) + 1);
        _return(s.vault, s.terms.deal, id, s.terms.newToken, s.terms.depositor);
    }

    /// @notice A swap; its vault is zero where nobody opened it.
    function swapOf(bytes32 id) external view returns (Swap memory) {
        return _swaps[id];
    }

    /// @notice The id of a swap with these terms.
    function swapIdOf(SwapTerms calldata t) public pure returns (bytes32) {
        return keccak256(abi.encode("swap", t));
    }

    function _burn(IERC20 token, uint256 amount) private returns (uint256 arrived) {
        uint256 before = token.balanceOf(DEAD);
        token.safeTransferFrom(msg.sender, DEAD, amount);
        arrived = token.balanceOf(DEAD) - before;
        if (arrived > amount) arrived = amount;
    }
}
