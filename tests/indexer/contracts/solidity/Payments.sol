// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// A token as old ones are: its calls return nothing.
contract SilentToken {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 public totalSupply;

    constructor(address holder, uint256 supply) {
        balanceOf[holder] = supply;
        totalSupply = supply;
    }

    function transfer(address to, uint256 amount) external {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
    }

    function approve(address spender, uint256 amount) external {
        allowance[msg.sender][spender] = amount;
    }

    function transferFrom(address from, address to, uint256 amount) external {
        allowance[from][msg.sender] -= amount;
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
    }
}

/// A token whose issuer can bar accounts, and which takes a share of every transfer, or declines payments by answering
/// false, once it is told to.
contract IssuedToken is ERC20 {
    address private immutable _issuer = msg.sender;
    mapping(address => bool) public barred;
    uint256 public feeBps;
    bool public declining;

    constructor(address holder, uint256 supply) ERC20("Issued", "ISS") {
        _mint(holder, supply);
    }

    function bar(address account) external {
        require(msg.sender == _issuer);
        barred[account] = true;
    }

    function setFee(uint256 bps) external {
        require(msg.sender == _issuer);
        feeBps = bps;
    }

    function issue(address to, uint256 amount) external {
        require(msg.sender == _issuer);
        _mint(to, amount);
    }

    function destroy(address from, uint256 amount) external {
        require(msg.sender == _issuer);
        _burn(from, amount);
    }

    function decline() external {
        require(msg.sender == _issuer);
        declining = true;
    }

    function transferFrom(address from, address to, uint256 amount) public override returns (bool) {
        return !declining && super.transferFrom(from, to, amount);
    }

    function _update(address from, address to, uint256 amount) internal override {
        require(!barred[from] && !barred[to], "barred");
        uint256 fee = from == address(0) || to == address(0) ? 0 : amount * feeBps / 10_000;
        super._update(from, to, amount - fee);
        if (fee > 0) super._update(from, _issuer, fee);
    }
}

/// A token that calls somebody while it is transferred, and goes on only if that failed.
contract CallingToken is ERC20 {
    address private _target;
    bytes private _data;

    constructor(address holder, uint256 supply) ERC20("Calling", "CALL") {
        _mint(holder, supply);
    }

    function set(address target, bytes calldata data) external {
        _target = target;
        _data = data;
    }

    function _update(address from, address to, uint256 amount) internal override {
        if (_target != address(0)) {
            (bool done,) = _target.call(_data);
            require(!done, "it was possible");
        }
        super._update(from, to, amount);
    }
}

/// A contract wallet that accepts any signature (EIP-1271) and no coins.
contract RefusingWallet {
    function run(address target, bytes calldata data) external payable {
        (bool done,) = target.call{value: msg.value}(data);
        require(done);
    }

    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
        return 0x1626ba7e;
    }
}
