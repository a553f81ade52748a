// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {MerkleProof} from "@openzeppelin/contracts/utils/cryptography/MerkleProof.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {DealVault} from "./DealVault.sol";
import {VaultRules} from "./VaultRules.sol";

/// What redemptions ask the registry.
interface ISettlements {
    function signer() external view returns (address);
    function settledAt(bytes32 deal) external view returns (uint256);
}

/// @title Redemptions of a token's holders after a buyout
/// @notice The offerer pays in before the settlement. Once the deal is settled, everybody who held the token at one block
/// is paid a share of the deposit in proportion, until the window ends. The rest returns to the depositor: after the
/// window, or after ``settleBy`` if the deal was not settled.
abstract contract TokenRedemptions is VaultRules, EIP712 {
    /// ``root``: of the Merkle tree of who held how much of ``token`` at ``snapshotBlock``; ``total``: the sum of that.
    /// ``window`` is in seconds from the settlement.
    struct RedemptionTerms {
        bytes32 deal;
        address depositor;
        address currency;
        uint256 deposit;
        address token;
        uint256 snapshotBlock;
        bytes32 root;
        uint256 total;
        uint64 window;
        uint64 settleBy;
    }

    struct Redemption {
        RedemptionTerms terms;
        DealVault vault;
        uint256 redeemed;
        uint256 paid;
    }

    bytes32 private constant REDEMPTION_TERMS_TYPEHASH = keccak256(
        "RedemptionTerms(bytes32 deal,address depositor,address currency,uint256 deposit,address token,uint256 snapshotBlock,bytes32 root,uint256 total,uint64 window,uint64 settleBy)"
    );
    uint256 private constant MAX_REDEMPTION_WINDOW = 731 days;
    uint256 private constant MAX_SETTLE_BY = 91 days;

    /// @notice Whose signer vouches for snapshots, and whose settlements count.
    ISettlements public immutable registry;
    /// @notice Whether an account was paid.
    mapping(bytes32 id => mapping(address account => bool)) public hasRedeemed;

    mapping(bytes32 id => Redemption) private _redemptions;

    event HolderRedeemed(
        bytes32 indexed deal, bytes32 indexed id, address indexed account, uint256 held, uint256 paid
    );

    error InvalidRegistry();
    error InvalidSignature();
    error AlreadySettled(bytes32 deal);
    error NotSettled(bytes32 deal);
    error AlreadyRedeemed(address account);
    error WrongProof(address account, uint256 held);
    error NothingToPay(address account);

    constructor(address registry_) {
        if (registry_.code.length == 0) revert InvalidRegistry();
        registry = ISettlements(registry_);
    }

    /// @notice Open a redemption and pay its deposit in. The registry's signer vouches for the terms.
    function openRedemption(RedemptionTerms calldata t, bytes calldata signature)
        external
        payable
        nonReentrant
        returns (bytes32 id)
    {
        if (msg.sender != t.depositor) revert NotDepositor(t.depositor, msg.sender);
        if (t.deposit == 0 || t.total == 0 || t.window == 0 || t.window > MAX_REDEMPTION_WINDOW) revert InvalidTerms();
        if (block.timestamp >= t.settleBy) revert TooLate(t.settleBy);
        if (t.settleBy > block.timestamp + MAX_SETTLE_BY) revert InvalidTerms();
        if (registry.settledAt(t.deal) != 0) revert AlreadySettled(t.deal);
        id = keccak256(abi.encode(REDEMPTION_TERMS_TYPEHASH, t));
        (address recovered, ECDSA.RecoverError problem,) = ECDSA.tryRecoverCalldata(_hashTypedDataV4(id), signature);
        if (problem != ECDSA.RecoverError.NoError || recovered != registry.signer()) revert InvalidSignature();
        Redemption storage r = _redemptions[id];
        if (address(r.vault) != address(0)) revert AlreadyOpened(id);
        r.terms = t;
        r.vault = _fund(t.deal, id, t.currency, t.deposit);
    }

    /// @notice Pay an account its share, once. Anyone may hand the proof in; the account is paid.
    function redeem(bytes32 id, address account, uint256 held, bytes32[] calldata proof)
        external
        nonReentrant
        returns (uint256 paid)
    {
        Redemption storage r = _redemptions[id];
        uint256 closesAt = _closesAt(id, r);
        if (registry.settledAt(r.terms.deal) == 0) revert NotSettled(r.terms.deal);
        if (block.timestamp > closesAt) revert TooLate(closesAt);
        if (hasRedeemed[id][account]) revert AlreadyRedeemed(account);
        // Hashed twice, so that no inner node of the tree passes for a leaf.
        bytes32 leaf = keccak256(bytes.concat(keccak256(abi.encode(account, held))));
        if (!MerkleProof.verifyCalldata(proof, r.terms.root, leaf)) revert WrongProof(account, held);
        paid = Math.mulDiv(r.terms.deposit, held, r.terms.total);
        if (paid == 0) revert NothingToPay(account);
        hasRedeemed[id][account] = true;
        r.redeemed += held;
        r.paid += paid;
        emit HolderRedeemed(r.terms.deal, id, account, held, paid);
        r.vault.pay(r.terms.currency, account, paid);
    }

    /// @notice Return what is left to the depositor, after the window or when the deal was not settled in time. Anyone may.
    function closeRedemption(bytes32 id) external nonReentrant {
        Redemption storage r = _redemptions[id];
        uint256 closesAt = _closesAt(id, r);
        if (block.timestamp <= closesAt) revert TooEarly(closesAt + 1);
        _return(r.vault, r.terms.deal, id, r.terms.currency, r.terms.depositor);
    }

    /// @notice A redemption; its vault is zero where nobody opened it.
    function redemptionOf(bytes32 id) external view returns (Redemption memory) {
        return _redemptions[id];
    }

    /// Until when it is open: the end of the window, or of the time in which the deal can be settled. A settlement after
    /// that does not open it again: by then its depositor may have another.
    function _closesAt(bytes32 id, Redemption storage r) private view returns (uint256) {
        if (address(r.vault) == address(0)) revert UnknownVault(id);
        uint256 settled = registry.settledAt(r.terms.deal);
        return settled == 0 || settled > r.terms.settleBy ? r.terms.settleBy : settled + r.terms.window;
    }
}
