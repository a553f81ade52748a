// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// A treasury that calls whatever it was told to when it is paid, may refuse, and may waste all gas it gets.
contract HostileTreasury {
    enum Manner {
        Accept,
        Refuse,
        Burn
    }

    Manner public manner;
    address private _target;
    bytes private _data;
    uint256 public attempts;
    uint256 public successes;

    function set(Manner manner_, address target, bytes calldata data) external {
        manner = manner_;
        _target = target;
        _data = data;
    }

    function run(address target, bytes calldata data) external {
        (bool done, bytes memory answer) = target.call(data);
        if (!done) {
            assembly {
                revert(add(answer, 0x20), mload(answer))
            }
        }
    }

    receive() external payable {
        if (manner == Manner.Refuse) revert("no");
        if (manner == Manner.Burn) while (true) {}
        if (_target != address(0)) {
            (bool done,) = _target.call(_data);
            // What happened is kept where the outer transaction can show it.
            if (done) successes += 1;
            attempts += 1;
        }
    }
}

/// A claimer that is a contract and, were it asked whether it takes the token, would act.
contract HostileClaimer {
    bytes private _again;
    address private _registry;
    uint256 public received;

    function claim(address registry, bytes calldata data, bytes calldata again) external payable {
        _registry = registry;
        _again = again;
        (bool done, bytes memory answer) = registry.call{value: msg.value}(data);
        if (!done) {
            assembly {
                revert(add(answer, 0x20), mload(answer))
            }
        }
    }

    function onERC721Received(address, address, uint256, bytes calldata) external returns (bytes4) {
        received += 1;
        (bool done,) = _registry.call(_again);
        require(done);
        return this.onERC721Received.selector;
    }

    receive() external payable {
        (bool done,) = _registry.call(_again);
        require(done);
    }
}
