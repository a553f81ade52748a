// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {OwnedToken, PlainToken} from "./Tokens.sol";

/// Makes tokens inside transactions of whoever asks, by CREATE and by CREATE2.
contract TokenMaker {
    event Made(address indexed token, address indexed by);

    function make(string calldata name, string calldata symbol, uint256 supply) external returns (address token) {
        token = address(new OwnedToken(name, symbol, 18, supply, msg.sender));
        emit Made(token, msg.sender);
    }

    /// Says nothing of its own: only the code at the address and the token's own events tell.
    function makeQuietly(string calldata name, string calldata symbol, uint256 supply, bytes32 salt)
        external
        returns (address token)
    {
        token = address(new PlainToken{salt: salt}(name, symbol, 18, supply, msg.sender));
    }
}

/// A wallet that is a contract: its owner has it deploy and call.
contract ContractWallet {
    address public immutable owner;

    error NotOwner();
    error Failed();

    constructor(address owner_) {
        owner = owner_;
    }

    receive() external payable {}

    function deploy(bytes memory code) external returns (address made) {
        if (msg.sender != owner) revert NotOwner();
        assembly {
            made := create(0, add(code, 0x20), mload(code))
        }
        if (made == address(0)) revert Failed();
    }

    function execute(address target, uint256 value, bytes calldata data) external returns (bytes memory answer) {
        if (msg.sender != owner) revert NotOwner();
        bool done;
        (done, answer) = target.call{value: value}(data);
        if (!done) revert Failed();
    }
}
