// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// A contract wallet that accepts any signature (EIP-1271), but first tries a call: of the registry that asks it.
contract ReentrantWallet {
    address private _target;
    bytes private _data;

    receive() external payable {}

    function set(address target, bytes calldata data) external {
        _target = target;
        _data = data;
    }

    function run(address target, bytes calldata data) external payable {
        (bool done, bytes memory answer) = target.call{value: msg.value}(data);
        if (!done) {
            assembly {
                revert(add(answer, 0x20), mload(answer))
            }
        }
    }

    /// Magic where the call failed, as it must: the registry asks without letting state change.
    function isValidSignature(bytes32, bytes calldata) external returns (bytes4) {
        if (_target == address(0)) return 0x1626ba7e;
        (bool done,) = _target.call(_data);
        return done ? bytes4(0xffffffff) : bytes4(0x1626ba7e);
    }
}

/// A factory in small: passes calls on.
contract Relay {
    function run(address target, bytes calldata data) external payable {
        (bool done, bytes memory answer) = target.call{value: msg.value}(data);
        if (!done) {
            assembly {
                revert(add(answer, 0x20), mload(answer))
            }
        }
    }
}
