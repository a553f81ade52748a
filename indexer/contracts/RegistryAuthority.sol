// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";

/// @title Whose word counts in the registry
/// @notice Two keys of the service. The signer is online and signs statements. The guardian is kept offline: it alone
/// replaces the signer, after a delay that everyone can see, and it can suspend the signer at once.
abstract contract RegistryAuthority is EIP712 {
    bytes32 private constant SIGNER_ACCEPTANCE_TYPEHASH = keccak256("SignerAcceptance(address newSigner)");
    uint256 internal constant MAX_DELAY = 90 days;

    /// @notice How long an announced signer or guardian waits, in seconds.
    uint64 public immutable signerDelay;
    /// @notice Whose statements count; zero while it is suspended.
    address public signer;
    /// @notice The announced next signer, and from when it can be activated.
    address public nextSigner;
    uint64 public nextSignerFrom;
    /// @notice Who replaces the signer and decides about disputed ends.
    address public guardian;
    /// @notice The announced next guardian, and from when it can accept.
    address public nextGuardian;
    uint64 public nextGuardianFrom;
    /// @notice Whether a statement with this nonce was used.
    mapping(uint256 nonce => bool) public nonceUsed;
    /// Counts signers. What a signer announced does not outlive it.
    uint64 internal _signerEra;

    event SignerAnnounced(address indexed newSigner, uint64 activeFrom);
    event SignerAnnouncementCancelled(address indexed newSigner);
    event SignerSuspended(address indexed signer);
    event SignerChanged(address indexed previousSigner, address indexed newSigner);
    event GuardianAnnounced(address indexed newGuardian, uint64 activeFrom);
    event GuardianChanged(address indexed previousGuardian, address indexed newGuardian);

    error InvalidSigner();
    error InvalidGuardian();
    error InvalidDelay(uint256 delay);
    error InvalidSignature();
    error NotGuardian(address sender);
    error TooEarly(uint256 from);
    error NothingAnnounced();
    error StatementExpired(uint256 deadline);
    error NonceAlreadyUsed(uint256 nonce);

    modifier onlyGuardian() {
        if (msg.sender != guardian) revert NotGuardian(msg.sender);
        _;
    }

    constructor(address signer_, address guardian_, uint64 signerDelay_) {
        if (signer_ == address(0)) revert InvalidSigner();
        if (guardian_ == address(0)) revert InvalidGuardian();
        _requireDelay(signerDelay_);
        signer = signer_;
        guardian = guardian_;
        signerDelay = signerDelay_;
        emit SignerChanged(address(0), signer_);
        emit GuardianChanged(address(0), guardian_);
    }

    /// @notice Announce the next signer. A later announcement replaces this one.
    function announceSigner(address newSigner) external onlyGuardian {
        if (newSigner == address(0) || newSigner == signer) revert InvalidSigner();
        nextSigner = newSigner;
        nextSignerFrom = _after(signerDelay);
        emit SignerAnnounced(newSigner, nextSignerFrom);
    }

    /// @notice Take the announcement of a signer back.
    function cancelSigner() external onlyGuardian {
        if (nextSigner == address(0)) revert NothingAnnounced();
        emit SignerAnnouncementCancelled(nextSigner);
        nextSigner = address(0);
    }

    /// @notice Make the announced signer the signer. Its own signature shows that somebody holds the key.
    function activateSigner(bytes calldata acceptance) external {
        address newSigner = nextSigner;
        if (newSigner == address(0)) revert NothingAnnounced();
        if (block.timestamp < nextSignerFrom) revert TooEarly(nextSignerFrom);
        bytes32 content = keccak256(abi.encode(SIGNER_ACCEPTANCE_TYPEHASH, newSigner));
        if (!_isSignedBy(newSigner, content, acceptance)) revert InvalidSignature();
        emit SignerChanged(signer, newSigner);
        signer = newSigner;
        nextSigner = address(0);
        ++_signerEra;
    }

    /// @notice Stop the signer at once: its statements are refused and the ends it announced are void, until a signer is
    /// activated.
    function suspendSigner() external onlyGuardian {
        if (signer == address(0)) revert InvalidSigner();
        emit SignerSuspended(signer);
        signer = address(0);
        ++_signerEra;
    }

    /// @notice Name the next guardian; zero takes the name back.
    function announceGuardian(address newGuardian) external onlyGuardian {
        if (newGuardian == guardian) revert InvalidGuardian();
        nextGuardian = newGuardian;
        nextGuardianFrom = _after(signerDelay);
        emit GuardianAnnounced(newGuardian, nextGuardianFrom);
    }

    /// @notice Become the guardian.
    function acceptGuardian() external {
        if (msg.sender != nextGuardian) revert NotGuardian(msg.sender);
        if (block.timestamp < nextGuardianFrom) revert TooEarly(nextGuardianFrom);
        emit GuardianChanged(guardian, msg.sender);
        guardian = msg.sender;
        nextGuardian = address(0);
    }

    function _useStatement(bytes32 content, uint256 deadline, uint256 nonce, bytes calldata signature) internal {
        if (block.timestamp > deadline) revert StatementExpired(deadline);
        if (nonceUsed[nonce]) revert NonceAlreadyUsed(nonce);
        if (!_isSignedBy(signer, content, signature)) revert InvalidSignature();
        nonceUsed[nonce] = true;
    }

    function _isSignedBy(address account, bytes32 content, bytes calldata signature) internal view returns (bool) {
        (address recovered, ECDSA.RecoverError problem,) =
            ECDSA.tryRecoverCalldata(_hashTypedDataV4(content), signature);
        return problem == ECDSA.RecoverError.NoError && recovered == account;
    }

    /// A key's signature, or what a contract wallet accepts (EIP-1271). The wallet is only asked: it cannot change state.
    function _isSignedByWallet(address wallet, bytes32 content, bytes calldata signature) internal view returns (bool) {
        return _isSignedBy(wallet, content, signature)
            || SignatureChecker.isValidERC1271SignatureNow(wallet, _hashTypedDataV4(content), signature);
    }

    function _after(uint64 delay) internal view returns (uint64) {
        return uint64(block.timestamp) + delay;
    }

    function _requireDelay(uint256 delay) internal pure {
        if (delay > MAX_DELAY) revert InvalidDelay(delay);
    }
}
