// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Answers name, symbol and decimals with exactly the bytes it was given, or reverts, whatever they mean.
contract RawMetadataToken {
    uint8 public constant NAME_REVERTS = 1;
    uint8 public constant SYMBOL_REVERTS = 2;
    uint8 public constant DECIMALS_REVERTS = 4;
    uint8 public constant SUPPLY_REVERTS = 8;

    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    bytes private _name;
    bytes private _symbol;
    bytes private _decimals;
    uint8 private immutable _flags;
    uint256 private immutable _supply;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    error Unavailable();
    error InsufficientBalance();

    constructor(bytes memory name_, bytes memory symbol_, bytes memory decimals_, uint8 flags, uint256 supply, address holder)
    {
        _name = name_;
        _symbol = symbol_;
        _decimals = decimals_;
        _flags = flags;
        _supply = supply;
        balanceOf[holder] = supply;
        emit Transfer(address(0), holder, supply);
    }

    function name() external view {
        _answer(_name, _flags & NAME_REVERTS != 0);
    }

    function symbol() external view {
        _answer(_symbol, _flags & SYMBOL_REVERTS != 0);
    }

    function decimals() external view {
        _answer(_decimals, _flags & DECIMALS_REVERTS != 0);
    }

    function totalSupply() external view returns (uint256) {
        if (_flags & SUPPLY_REVERTS != 0) revert Unavailable();
        return _supply;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        _move(from, to, value);
        return true;
    }

    function _move(address from, address to, uint256 value) private {
        if (balanceOf[from] < value) revert InsufficientBalance();
        unchecked {
            balanceOf[from] -= value;
            balanceOf[to] += value;
        }
        emit Transfer(from, to, value);
    }

    function _answer(bytes memory raw, bool refuse) private pure {
        if (refuse) revert Unavailable();
        assembly {
            return(add(raw, 0x20), mload(raw))
        }
    }
}
