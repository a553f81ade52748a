// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// A wallet that signs through its owner's key (EIP-1271) and does what the owner says.
contract SignatureWallet {
    address public immutable owner;

    error NotOwner();

    constructor(address owner_) {
        owner = owner_;
    }

    receive() external payable {}

    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        if (signature.length != 65) return 0xffffffff;
        address signer = ecrecover(digest, uint8(signature[64]), bytes32(signature[0:32]), bytes32(signature[32:64]));
        return signer == owner && signer != address(0) ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }

    function execute(address target, uint256 value, bytes calldata data) external returns (bytes memory) {
        if (msg.sender != owner) revert NotOwner();
        (bool done, bytes memory answer) = target.call{value: value}(data);
        if (!done) {
            assembly {
                revert(add(answer, 0x20), mload(answer))
            }
        }
        return answer;
    }

    /// Registries hand out ERC-721 tokens safely.
    function onERC721Received(address, address, uint256, bytes calldata) external pure returns (bytes4) {
        return 0x150b7a02;
    }
}

/// Makes such wallets at addresses that are known before.
contract SignatureWalletFactory {
    function make(address owner, bytes32 salt) external returns (address) {
        return address(new SignatureWallet{salt: salt}(owner));
    }
}
