// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Answers whether a contract wallet, deployed or not yet, signs for a hash. Never deployed itself: its creation code
/// is run by eth_call, and what the constructor returns is one byte, 1 for yes. Deploying the wallet happens inside
/// that call alone and leaves no trace.
contract SignatureValidator {
    bytes4 private constant MAGIC = 0x1626ba7e; // isValidSignature(bytes32,bytes)

    /// @param wallet who is said to have signed
    /// @param digest what was signed
    /// @param factory makes the wallet; zero when nothing is to be made
    /// @param factoryCall what to call the factory with
    /// @param signature what the wallet is asked about
    constructor(address wallet, bytes32 digest, address factory, bytes memory factoryCall, bytes memory signature) {
        bool valid = wallet.code.length > 0 && _asks(wallet, digest, signature);
        if (!valid && factory != address(0)) {
            // A deployed wallet may still need this call to accept the signature (ERC-6492), so it is made either way.
            (bool done,) = factory.call(factoryCall);
            valid = done && wallet.code.length > 0 && _asks(wallet, digest, signature);
        }
        assembly {
            mstore(0x00, valid)
            return(0x1f, 0x01)
        }
    }

    function _asks(address wallet, bytes32 digest, bytes memory signature) private view returns (bool) {
        (bool done, bytes memory answer) = wallet.staticcall(abi.encodeWithSelector(MAGIC, digest, signature));
        return done && answer.length >= 32 && abi.decode(answer, (bytes32)) == bytes32(MAGIC);
    }
}
