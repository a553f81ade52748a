// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";

/// @title Registry of token symbols on one chain
/// @notice One registration per symbol, held by the wallet that showed it controls the token. The service's signer says
/// who may mint what and for how much; nobody, the service included, can move or seize a registration. The signer can
/// end one by an expiry statement; its owner can release it. There is no owner of the contract, no pause, no upgrade.
contract RegaliaRegistry is ERC721, EIP712, ReentrancyGuard {
    struct MintAuthorization {
        address claimer;
        address token;
        string symbol;
        uint256 fee;
        uint256 deadline;
        uint256 nonce;
    }

    struct MintReceipt {
        address claimer;
        address token;
        string symbol;
        uint256 deadline;
        uint256 nonce;
    }

    struct ExpiryStatement {
        uint256 tokenId;
        uint256 deadline;
        uint256 nonce;
    }

    struct SignerRotation {
        address newSigner;
        uint256 deadline;
        uint256 nonce;
    }

    struct Registration {
        string symbol;
        address token;
        uint64 registeredAt;
        string metadataCid;
        uint256 peerChainId;
        uint256 peerTokenId;
    }

    bytes32 private constant MINT_AUTHORIZATION_TYPEHASH = keccak256(
        "MintAuthorization(address claimer,address token,string symbol,uint256 fee,uint256 deadline,uint256 nonce)"
    );
    bytes32 private constant MINT_RECEIPT_TYPEHASH =
        keccak256("MintReceipt(address claimer,address token,string symbol,uint256 deadline,uint256 nonce)");
    bytes32 private constant EXPIRY_STATEMENT_TYPEHASH =
        keccak256("ExpiryStatement(uint256 tokenId,uint256 deadline,uint256 nonce)");
    bytes32 private constant SIGNER_ROTATION_TYPEHASH =
        keccak256("SignerRotation(address newSigner,uint256 deadline,uint256 nonce)");
    bytes4 private constant ERC5192_INTERFACE_ID = 0xb45a3c0e;
    uint256 private constant MAX_SYMBOL_BYTES = 12;
    uint256 private constant MAX_CID_BYTES = 128;
    // Enough for a treasury that is a contract wallet, too little for one that would make claims dear.
    uint256 private constant TREASURY_GAS = 100_000;

    /// @notice Where fees go.
    address public immutable treasury;
    /// @notice Whose statements count.
    address public signer;
    /// @notice Whether a statement with this nonce was used.
    mapping(uint256 nonce => bool) public nonceUsed;

    uint256 private _lastTokenId;
    mapping(bytes32 symbolHash => uint256 tokenId) private _tokenIds;
    mapping(uint256 tokenId => Registration) private _registrations;
    // A token id is never given twice, so that what is left here of an ended registration binds no later one.
    mapping(uint256 tokenId => mapping(address account => bool)) private _managers;
    mapping(uint256 tokenId => mapping(address account => bool)) private _maintainers;

    event Registered(
        uint256 indexed tokenId, address indexed owner, address indexed token, string symbol, uint256 fee, bool receipt
    );
    event Released(uint256 indexed tokenId, address indexed owner, string symbol);
    event Expired(uint256 indexed tokenId, address indexed owner, string symbol);
    event ManagerChanged(uint256 indexed tokenId, address indexed account, bool enabled);
    event MaintainerChanged(uint256 indexed tokenId, address indexed account, bool enabled);
    event MetadataChanged(uint256 indexed tokenId, string cid);
    event CanonicalPeerChanged(uint256 indexed tokenId, uint256 peerChainId, uint256 peerTokenId);
    event SignerChanged(address indexed previousSigner, address indexed newSigner);
    event FeesWithdrawn(uint256 amount);
    /// @notice ERC-5192: the token cannot be transferred.
    event Locked(uint256 tokenId);

    error InvalidSigner();
    error InvalidTreasury();
    error InvalidSignature();
    error InvalidSymbol(string symbol);
    error InvalidCid();
    error InvalidAccount();
    error NotClaimer(address claimer, address sender);
    error NotOwner(uint256 tokenId, address sender);
    error NotOwnerOrManager(uint256 tokenId, address sender);
    error StatementExpired(uint256 deadline);
    error NonceAlreadyUsed(uint256 nonce);
    error WrongFee(uint256 expected, uint256 sent);
    error SymbolTaken(string symbol, uint256 tokenId);
    error UnknownRegistration(uint256 tokenId);
    error Soulbound();
    error WithdrawalFailed();

    constructor(address signer_, address treasury_) ERC721("Regalia Registry", "REGALIA") EIP712("Regalia Registry", "1") {
        if (signer_ == address(0)) revert InvalidSigner();
        if (treasury_ == address(0)) revert InvalidTreasury();
        signer = signer_;
        treasury = treasury_;
        emit SignerChanged(address(0), signer_);
    }

    /// @notice Register a symbol against the signer's authorization, paying exactly its fee.
    function mint(MintAuthorization calldata a, bytes calldata signature)
        external
        payable
        nonReentrant
        returns (uint256 tokenId)
    {
        if (msg.sender != a.claimer) revert NotClaimer(a.claimer, msg.sender);
        if (msg.value != a.fee) revert WrongFee(a.fee, msg.value);
        bytes32 content = keccak256(
            abi.encode(
                MINT_AUTHORIZATION_TYPEHASH, a.claimer, a.token, keccak256(bytes(a.symbol)), a.fee, a.deadline, a.nonce
            )
        );
        _useStatement(content, a.deadline, a.nonce, signature);
        tokenId = _register(a.claimer, a.token, a.symbol, a.fee, false);
        if (msg.value > 0) _offerToTreasury(msg.value);
    }

    /// @notice Register a symbol free of charge against the signer's receipt.
    function mintWithReceipt(MintReceipt calldata r, bytes calldata signature) external returns (uint256 tokenId) {
        if (msg.sender != r.claimer) revert NotClaimer(r.claimer, msg.sender);
        bytes32 content = keccak256(
            abi.encode(MINT_RECEIPT_TYPEHASH, r.claimer, r.token, keccak256(bytes(r.symbol)), r.deadline, r.nonce)
        );
        _useStatement(content, r.deadline, r.nonce, signature);
        tokenId = _register(r.claimer, r.token, r.symbol, 0, true);
    }

    /// @notice Give a registration up. Its symbol is free at once; its token id is not used again.
    function release(uint256 tokenId) external {
        _requireOwner(tokenId);
        emit Released(tokenId, msg.sender, _end(tokenId));
    }

    /// @notice End a registration by the signer's statement. Anyone may hand it in.
    function expire(ExpiryStatement calldata s, bytes calldata signature) external {
        address owner = _requireRegistered(s.tokenId);
        bytes32 content = keccak256(abi.encode(EXPIRY_STATEMENT_TYPEHASH, s.tokenId, s.deadline, s.nonce));
        _useStatement(content, s.deadline, s.nonce, signature);
        emit Expired(s.tokenId, owner, _end(s.tokenId));
    }

    /// @notice Hand the signing over: the present signer states it, the next one shows that its key is at hand.
    function rotateSigner(SignerRotation calldata s, bytes calldata signature, bytes calldata acceptance) external {
        if (s.newSigner == address(0) || s.newSigner == signer) revert InvalidSigner();
        bytes32 content = keccak256(abi.encode(SIGNER_ROTATION_TYPEHASH, s.newSigner, s.deadline, s.nonce));
        _useStatement(content, s.deadline, s.nonce, signature);
        if (!_isSignedBy(s.newSigner, content, acceptance)) revert InvalidSignature();
        emit SignerChanged(signer, s.newSigner);
        signer = s.newSigner;
    }

    /// @notice Make an account a manager or take that from it. The owner alone may.
    function setManager(uint256 tokenId, address account, bool enabled) external {
        _requireOwner(tokenId);
        if (account == address(0)) revert InvalidAccount();
        _managers[tokenId][account] = enabled;
        emit ManagerChanged(tokenId, account, enabled);
    }

    /// @notice Make an account a maintainer or take that from it. The owner and managers may.
    function setMaintainer(uint256 tokenId, address account, bool enabled) external {
        _requireOwnerOrManager(tokenId);
        if (account == address(0)) revert InvalidAccount();
        _maintainers[tokenId][account] = enabled;
        emit MaintainerChanged(tokenId, account, enabled);
    }

    /// @notice Point to the registration's metadata on IPFS; empty takes it away. The owner and managers may.
    function setMetadata(uint256 tokenId, string calldata cid) external {
        _requireOwnerOrManager(tokenId);
        _requireCid(bytes(cid));
        _registrations[tokenId].metadataCid = cid;
        emit MetadataChanged(tokenId, cid);
    }

    /// @notice Name the registration on another chain that this one follows; zeros take it away. The owner alone may.
    function setCanonicalPeer(uint256 tokenId, uint256 peerChainId, uint256 peerTokenId) external {
        _requireOwner(tokenId);
        _registrations[tokenId].peerChainId = peerChainId;
        _registrations[tokenId].peerTokenId = peerTokenId;
        emit CanonicalPeerChanged(tokenId, peerChainId, peerTokenId);
    }

    /// @notice Send the treasury what it did not take when it was paid.
    function withdraw() external nonReentrant {
        uint256 amount = address(this).balance;
        emit FeesWithdrawn(amount);
        (bool paid,) = treasury.call{value: amount}("");
        if (!paid) revert WithdrawalFailed();
    }

    /// @notice The registration of a symbol; 0 when it is free.
    function tokenIdOf(string calldata symbol) external view returns (uint256) {
        return _tokenIds[keccak256(bytes(symbol))];
    }

    /// @notice What is registered, and who owns it.
    function registrationOf(uint256 tokenId)
        external
        view
        returns (
            string memory symbol,
            address owner,
            address token,
            uint64 registeredAt,
            string memory metadataCid,
            uint256 peerChainId,
            uint256 peerTokenId
        )
    {
        owner = _requireRegistered(tokenId);
        Registration storage r = _registrations[tokenId];
        return (r.symbol, owner, r.token, r.registeredAt, r.metadataCid, r.peerChainId, r.peerTokenId);
    }

    function isManager(uint256 tokenId, address account) public view returns (bool) {
        return _managers[tokenId][account] && _ownerOf(tokenId) != address(0);
    }

    function isMaintainer(uint256 tokenId, address account) external view returns (bool) {
        return _maintainers[tokenId][account] && _ownerOf(tokenId) != address(0);
    }

    /// @notice ERC-5192: always.
    function locked(uint256 tokenId) external view returns (bool) {
        _requireRegistered(tokenId);
        return true;
    }

    function tokenURI(uint256 tokenId) public view override returns (string memory) {
        _requireRegistered(tokenId);
        string storage cid = _registrations[tokenId].metadataCid;
        return bytes(cid).length == 0 ? "" : string.concat("ipfs://", cid);
    }

    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        return interfaceId == ERC5192_INTERFACE_ID || super.supportsInterface(interfaceId);
    }

    function approve(address, uint256) public pure override {
        revert Soulbound();
    }

    function setApprovalForAll(address, bool) public pure override {
        revert Soulbound();
    }

    /// The last word on moves, whichever way they come: making and ending only.
    function _update(address to, uint256 tokenId, address auth) internal override returns (address) {
        if (to != address(0) && _ownerOf(tokenId) != address(0)) revert Soulbound();
        return super._update(to, tokenId, auth);
    }

    function _register(address owner, address token, string calldata symbol, uint256 fee, bool receipt)
        private
        returns (uint256 tokenId)
    {
        _requireSymbol(bytes(symbol), symbol);
        bytes32 symbolHash = keccak256(bytes(symbol));
        if (_tokenIds[symbolHash] != 0) revert SymbolTaken(symbol, _tokenIds[symbolHash]);
        tokenId = ++_lastTokenId;
        _tokenIds[symbolHash] = tokenId;
        Registration storage r = _registrations[tokenId];
        r.symbol = symbol;
        r.token = token;
        r.registeredAt = uint64(block.timestamp);
        _mint(owner, tokenId); // not _safeMint: nothing of the claimer's runs in here
        emit Locked(tokenId);
        emit Registered(tokenId, owner, token, symbol, fee, receipt);
    }

    function _end(uint256 tokenId) private returns (string memory symbol) {
        symbol = _registrations[tokenId].symbol;
        delete _tokenIds[keccak256(bytes(symbol))];
        delete _registrations[tokenId];
        _burn(tokenId);
    }

    function _useStatement(bytes32 content, uint256 deadline, uint256 nonce, bytes calldata signature) private {
        if (block.timestamp > deadline) revert StatementExpired(deadline);
        if (nonceUsed[nonce]) revert NonceAlreadyUsed(nonce);
        if (!_isSignedBy(signer, content, signature)) revert InvalidSignature();
        nonceUsed[nonce] = true;
    }

    function _isSignedBy(address account, bytes32 content, bytes calldata signature) private view returns (bool) {
        (address recovered, ECDSA.RecoverError problem,) =
            ECDSA.tryRecoverCalldata(_hashTypedDataV4(content), signature);
        return problem == ECDSA.RecoverError.NoError && recovered == account;
    }

    /// A treasury that refuses, or tries anything, keeps nobody from claiming: what it did not take waits here.
    function _offerToTreasury(uint256 amount) private {
        address to = treasury;
        assembly ("memory-safe") {
            pop(call(TREASURY_GAS, to, amount, 0, 0, 0, 0))
        }
    }

    function _requireRegistered(uint256 tokenId) private view returns (address owner) {
        owner = _ownerOf(tokenId);
        if (owner == address(0)) revert UnknownRegistration(tokenId);
    }

    function _requireOwner(uint256 tokenId) private view {
        if (_requireRegistered(tokenId) != msg.sender) revert NotOwner(tokenId, msg.sender);
    }

    function _requireOwnerOrManager(uint256 tokenId) private view {
        if (_requireRegistered(tokenId) != msg.sender && !isManager(tokenId, msg.sender)) {
            revert NotOwnerOrManager(tokenId, msg.sender);
        }
    }

    /// One to twelve of A-Z and 0-9, a letter among them.
    function _requireSymbol(bytes calldata text, string calldata symbol) private pure {
        bool lettered;
        if (text.length == 0 || text.length > MAX_SYMBOL_BYTES) revert InvalidSymbol(symbol);
        for (uint256 i = 0; i < text.length; ++i) {
            bytes1 c = text[i];
            if (c >= "A" && c <= "Z") lettered = true;
            else if (c < "0" || c > "9") revert InvalidSymbol(symbol);
        }
        if (!lettered) revert InvalidSymbol(symbol);
    }

    /// Letters and digits only, as every CID's text is; nothing that could turn into another address in a link.
    function _requireCid(bytes calldata text) private pure {
        if (text.length > MAX_CID_BYTES) revert InvalidCid();
        for (uint256 i = 0; i < text.length; ++i) {
            bytes1 c = text[i];
            if (!((c >= "a" && c <= "z") || (c >= "A" && c <= "Z") || (c >= "0" && c <= "9"))) revert InvalidCid();
        }
    }
}
