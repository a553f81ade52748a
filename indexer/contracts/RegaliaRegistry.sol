// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";
import {RegistryAuthority} from "./RegistryAuthority.sol";

/// @title Registry of token symbols on one chain
/// @notice One registration per symbol, held by the wallet that showed it controls the token. The signer says who may
/// mint what and for how much. It can announce the end of a registration, which takes effect after a delay in which the
/// owner can object and the guardian can stop it. A registration changes hands only by its holder's signed consent.
contract RegaliaRegistry is ERC721, RegistryAuthority, ReentrancyGuard {
    using SafeERC20 for IERC20;

    /// What is fixed at deployment. Delays are in seconds, ``paidFrom`` is in wei.
    struct Terms {
        uint64 endDelay;
        uint64 objectionDelay;
        uint64 signerDelay;
        uint32 freeMintsPerDay;
        uint256 paidFrom;
    }

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

    struct FactoryAuthorization {
        address creator;
        string symbol;
        uint256 fee;
        uint256 deadline;
        uint256 nonce;
    }

    struct EndAnnouncement {
        uint256 tokenId;
        uint8 reason;
        uint256 deadline;
        uint256 nonce;
    }

    struct EndWithdrawal {
        uint256 tokenId;
        uint256 deadline;
        uint256 nonce;
    }

    /// The holder agrees that ``offerer`` becomes the owner for ``amount`` base units of ``currency`` (zero: the native
    /// coin), which the offerer pays in the same call.
    struct SettlementConsent {
        bytes32 deal;
        uint256 tokenId;
        address offerer;
        address currency;
        uint256 amount;
        uint256 chainId;
        uint256 deadline;
        uint256 nonce;
    }

    /// ``consent`` is the EIP-712 hash of the consent's struct.
    struct SettlementAuthorization {
        bytes32 consent;
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

    struct PendingEnd {
        uint8 reason;
        bool objected;
        bool confirmed;
        uint64 dueAt;
        uint64 signerEra;
    }

    bytes32 private constant MINT_AUTHORIZATION_TYPEHASH = keccak256(
        "MintAuthorization(address claimer,address token,string symbol,uint256 fee,uint256 deadline,uint256 nonce)"
    );
    bytes32 private constant MINT_RECEIPT_TYPEHASH =
        keccak256("MintReceipt(address claimer,address token,string symbol,uint256 deadline,uint256 nonce)");
    bytes32 private constant FACTORY_AUTHORIZATION_TYPEHASH = keccak256(
        "FactoryAuthorization(address creator,string symbol,uint256 fee,uint256 deadline,uint256 nonce)"
    );
    bytes32 private constant END_ANNOUNCEMENT_TYPEHASH =
        keccak256("EndAnnouncement(uint256 tokenId,uint8 reason,uint256 deadline,uint256 nonce)");
    bytes32 private constant END_WITHDRAWAL_TYPEHASH =
        keccak256("EndWithdrawal(uint256 tokenId,uint256 deadline,uint256 nonce)");
    bytes32 private constant SETTLEMENT_CONSENT_TYPEHASH = keccak256(
        "SettlementConsent(bytes32 deal,uint256 tokenId,address offerer,address currency,uint256 amount,uint256 chainId,uint256 deadline,uint256 nonce)"
    );
    bytes32 private constant SETTLEMENT_AUTHORIZATION_TYPEHASH =
        keccak256("SettlementAuthorization(bytes32 consent,uint256 deadline,uint256 nonce)");
    bytes4 private constant ERC5192_INTERFACE_ID = 0xb45a3c0e;
    uint256 private constant MAX_SYMBOL_BYTES = 12;
    uint256 private constant MAX_CID_BYTES = 128;
    // Enough for a treasury that is a contract wallet, too little for one that would make claims dear.
    uint256 private constant TREASURY_GAS = 100_000;
    // An end that nobody executes lapses: what was true when it was announced need not be true for ever.
    uint256 private constant EXECUTION_WINDOW = 30 days;

    /// @notice Why a registration ends: it was inactive for long, or a challenge of its copy was upheld.
    uint8 public constant REASON_INACTIVE = 1;
    uint8 public constant REASON_CHALLENGE = 2;

    /// @notice Where fees go.
    address public immutable treasury;
    /// @notice How long after its announcement an end takes effect, and how much longer an objection makes that.
    uint64 public immutable endDelay;
    uint64 public immutable objectionDelay;
    /// @notice The contract that creates tokens and registers them with ``mintFor``. Set once.
    address public factory;
    /// @notice How many mints below the fee ``paidFrom`` fit into a day of UTC.
    uint32 public freeMintsPerDay;
    uint256 public paidFrom;
    /// @notice Whether the holder used or revoked the consent with this nonce.
    mapping(address holder => mapping(uint256 nonce => bool)) public consentUsed;
    /// @notice When a deal was settled, in seconds; 0: it was not. Redemptions begin with it.
    mapping(bytes32 deal => uint256 time) public settledAt;

    uint64 private _freeMintDay;
    uint32 private _freeMints;
    uint256 private _lastTokenId;
    mapping(bytes32 symbolHash => uint256 tokenId) private _tokenIds;
    mapping(uint256 tokenId => Registration) private _registrations;
    mapping(uint256 tokenId => PendingEnd) private _ends;
    // A token id is never given twice, so that what is left here of an ended registration binds no later one.
    mapping(uint256 tokenId => mapping(address account => bool)) private _managers;
    mapping(uint256 tokenId => mapping(address account => bool)) private _maintainers;

    event Registered(
        uint256 indexed tokenId, address indexed owner, address indexed token, string symbol, uint256 fee, bool receipt
    );
    event Released(uint256 indexed tokenId, address indexed owner, string symbol);
    event EndAnnounced(uint256 indexed tokenId, address indexed owner, uint8 reason, uint64 dueAt);
    event EndObjected(uint256 indexed tokenId, address indexed owner, uint64 dueAt);
    event EndConfirmed(uint256 indexed tokenId);
    event EndVetoed(uint256 indexed tokenId);
    event EndWithdrawn(uint256 indexed tokenId);
    event Ended(uint256 indexed tokenId, address indexed owner, string symbol, uint8 reason);
    event Settled(
        uint256 indexed tokenId,
        uint256 indexed newTokenId,
        address indexed previousOwner,
        bytes32 deal,
        address currency,
        uint256 amount
    );
    event ConsentRevoked(address indexed holder, uint256 nonce);
    event FactorySet(address indexed factory);
    event MintLimitsChanged(uint32 freeMintsPerDay, uint256 paidFrom);
    event ManagerChanged(uint256 indexed tokenId, address indexed account, bool enabled);
    event MaintainerChanged(uint256 indexed tokenId, address indexed account, bool enabled);
    event MetadataChanged(uint256 indexed tokenId, string cid);
    event CanonicalPeerChanged(uint256 indexed tokenId, uint256 peerChainId, uint256 peerTokenId);
    event FeesWithdrawn(uint256 amount);
    /// @notice ERC-5192: the token cannot be transferred.
    event Locked(uint256 tokenId);

    error InvalidTreasury();
    error InvalidFactory();
    error InvalidReason(uint8 reason);
    error InvalidSymbol(string symbol);
    error InvalidCid();
    error InvalidAccount();
    error NotClaimer(address claimer, address sender);
    error NotOwner(uint256 tokenId, address sender);
    error NotOwnerOrManager(uint256 tokenId, address sender);
    error NotFactory(address sender);
    error FreeMintsUsedUp(uint256 from);
    error EndAlreadyAnnounced(uint256 tokenId);
    error NoEndAnnounced(uint256 tokenId);
    error AlreadyObjected(uint256 tokenId);
    error TooLateToObject(uint256 dueAt);
    error NotObjected(uint256 tokenId);
    error NotConfirmed(uint256 tokenId);
    error WrongChain(uint256 chainId);
    error WrongConsent();
    error NotOfferer(address offerer, address sender);
    error AlreadySettled(bytes32 deal);
    error WrongPayment(uint256 expected, uint256 received);
    error PaymentRefused(address holder);
    error WrongFee(uint256 expected, uint256 sent);
    error SymbolTaken(string symbol, uint256 tokenId);
    error UnknownRegistration(uint256 tokenId);
    error Soulbound();
    error WithdrawalFailed();

    constructor(address signer_, address treasury_, address guardian_, Terms memory terms)
        ERC721("Regalia Registry", "REGALIA")
        EIP712("Regalia Registry", "1")
        RegistryAuthority(signer_, guardian_, terms.signerDelay)
    {
        if (treasury_ == address(0)) revert InvalidTreasury();
        _requireDelay(terms.endDelay);
        _requireDelay(terms.objectionDelay);
        treasury = treasury_;
        endDelay = terms.endDelay;
        objectionDelay = terms.objectionDelay;
        _setMintLimits(terms.freeMintsPerDay, terms.paidFrom);
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
        tokenId = _mintPaid(a.claimer, a.token, a.symbol, a.fee);
    }

    /// @notice Register the symbol of a token that the factory just created, for its creator. The factory decides who may
    /// ask and which token it is; the signer says for which symbol, creator and fee.
    function mintFor(FactoryAuthorization calldata a, address token, bytes calldata signature)
        external
        payable
        nonReentrant
        returns (uint256 tokenId)
    {
        if (msg.sender != factory) revert NotFactory(msg.sender);
        if (msg.value != a.fee) revert WrongFee(a.fee, msg.value);
        bytes32 content = keccak256(
            abi.encode(
                FACTORY_AUTHORIZATION_TYPEHASH, a.creator, keccak256(bytes(a.symbol)), a.fee, a.deadline, a.nonce
            )
        );
        _useStatement(content, a.deadline, a.nonce, signature);
        tokenId = _mintPaid(a.creator, token, a.symbol, a.fee);
    }

    /// @notice Register a symbol free of charge against the signer's receipt.
    function mintWithReceipt(MintReceipt calldata r, bytes calldata signature) external returns (uint256 tokenId) {
        if (msg.sender != r.claimer) revert NotClaimer(r.claimer, msg.sender);
        bytes32 content = keccak256(
            abi.encode(MINT_RECEIPT_TYPEHASH, r.claimer, r.token, keccak256(bytes(r.symbol)), r.deadline, r.nonce)
        );
        _useStatement(content, r.deadline, r.nonce, signature);
        _countMint(0);
        tokenId = _register(r.claimer, r.token, r.symbol, 0, true);
    }

    /// @notice Give a registration up. Its symbol is free at once; its token id is not used again.
    function release(uint256 tokenId) external {
        _requireOwner(tokenId);
        emit Released(tokenId, msg.sender, _end(tokenId));
    }

    /// @notice Hand a registration to the offerer of a deal, who sends this and pays the holder with it: it ends, and the
    /// symbol is registered for the offerer under a new id without managers, maintainers, metadata, peer or announced
    /// end. Tokens are pulled from the sender alone, straight to the holder; nothing is held here.
    function settle(
        SettlementConsent calldata c,
        bytes calldata consentSignature,
        SettlementAuthorization calldata a,
        bytes calldata signature
    ) external payable nonReentrant returns (uint256 newTokenId) {
        if (msg.sender != c.offerer) revert NotOfferer(c.offerer, msg.sender);
        address holder = _requireRegistered(c.tokenId);
        if (a.consent != _useConsent(holder, c, consentSignature)) revert WrongConsent();
        _useStatement(keccak256(abi.encode(SETTLEMENT_AUTHORIZATION_TYPEHASH, a)), a.deadline, a.nonce, signature);
        if (settledAt[c.deal] != 0) revert AlreadySettled(c.deal);
        settledAt[c.deal] = block.timestamp;
        address token = _registrations[c.tokenId].token;
        string memory symbol = _end(c.tokenId);
        emit Settled(c.tokenId, _lastTokenId + 1, holder, c.deal, c.currency, c.amount);
        newTokenId = _register(c.offerer, token, symbol, 0, false);
        _pay(holder, c.currency, c.amount);
    }

    /// @notice Make the sender's consent with this nonce worthless, whether it was signed or not.
    function revokeConsent(uint256 nonce) external {
        if (consentUsed[msg.sender][nonce]) revert NonceAlreadyUsed(nonce);
        consentUsed[msg.sender][nonce] = true;
        emit ConsentRevoked(msg.sender, nonce);
    }

    /// @notice Announce the end of a registration by the signer's statement. Anyone may hand it in.
    function announceEnd(EndAnnouncement calldata s, bytes calldata signature) external {
        address owner = _requireRegistered(s.tokenId);
        if (s.reason != REASON_INACTIVE && s.reason != REASON_CHALLENGE) revert InvalidReason(s.reason);
        _useStatement(keccak256(abi.encode(END_ANNOUNCEMENT_TYPEHASH, s)), s.deadline, s.nonce, signature);
        if (_isPending(_ends[s.tokenId])) revert EndAlreadyAnnounced(s.tokenId);
        uint64 dueAt = _after(endDelay);
        _ends[s.tokenId] = PendingEnd(s.reason, false, false, dueAt, _signerEra);
        emit EndAnnounced(s.tokenId, owner, s.reason, dueAt);
    }

    /// @notice Take the announcement of an end back by the signer's statement. Anyone may hand it in.
    function withdrawEnd(EndWithdrawal calldata s, bytes calldata signature) external {
        _requireEnd(s.tokenId);
        _useStatement(keccak256(abi.encode(END_WITHDRAWAL_TYPEHASH, s)), s.deadline, s.nonce, signature);
        delete _ends[s.tokenId];
        emit EndWithdrawn(s.tokenId);
    }

    /// @notice Object to the announced end of one's registration, once and until it is due: it is put off, and takes
    /// effect only if the guardian confirms it.
    function objectToEnd(uint256 tokenId) external {
        _requireOwner(tokenId);
        PendingEnd storage end = _requireEnd(tokenId);
        if (end.objected) revert AlreadyObjected(tokenId);
        if (block.timestamp >= end.dueAt) revert TooLateToObject(end.dueAt);
        end.objected = true;
        end.dueAt += objectionDelay;
        emit EndObjected(tokenId, msg.sender, end.dueAt);
    }

    /// @notice Let an end take effect when it is due, the owner's objection notwithstanding.
    function confirmEnd(uint256 tokenId) external onlyGuardian {
        PendingEnd storage end = _requireEnd(tokenId);
        if (!end.objected) revert NotObjected(tokenId);
        end.confirmed = true;
        emit EndConfirmed(tokenId);
    }

    /// @notice Stop an announced end.
    function vetoEnd(uint256 tokenId) external onlyGuardian {
        _requireEnd(tokenId);
        delete _ends[tokenId];
        emit EndVetoed(tokenId);
    }

    /// @notice End a registration whose announced end is due. Anyone may.
    function executeEnd(uint256 tokenId) external {
        PendingEnd storage end = _requireEnd(tokenId);
        if (block.timestamp < end.dueAt) revert TooEarly(end.dueAt);
        if (end.objected && !end.confirmed) revert NotConfirmed(tokenId);
        uint8 reason = end.reason;
        address owner = _ownerOf(tokenId);
        emit Ended(tokenId, owner, _end(tokenId), reason);
    }

    /// @notice Name the contract that may call ``mintFor``. Once.
    function setFactory(address factory_) external onlyGuardian {
        if (factory != address(0) || factory_.code.length == 0) revert InvalidFactory();
        factory = factory_;
        emit FactorySet(factory_);
    }

    /// @notice Change how many free mints fit into a day, and from which fee in wei a mint is not free.
    function setMintLimits(uint32 freeMintsPerDay_, uint256 paidFrom_) external onlyGuardian {
        _setMintLimits(freeMintsPerDay_, paidFrom_);
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

    /// @notice The announced end of a registration; ``reason`` is 0 where there is none.
    function endOf(uint256 tokenId)
        external
        view
        returns (uint8 reason, uint64 dueAt, bool objected, bool confirmed)
    {
        PendingEnd storage end = _ends[tokenId];
        if (_isPending(end)) return (end.reason, end.dueAt, end.objected, end.confirmed);
    }

    /// @notice How many free mints are left today.
    function freeMintsLeft() external view returns (uint256) {
        uint256 used = _freeMintDay == block.timestamp / 1 days ? _freeMints : 0;
        return used < freeMintsPerDay ? freeMintsPerDay - used : 0;
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

    function _mintPaid(address owner, address token, string calldata symbol, uint256 fee)
        private
        returns (uint256 tokenId)
    {
        _countMint(fee);
        tokenId = _register(owner, token, symbol, fee, false);
        if (fee > 0) _offerToTreasury(fee);
    }

    /// Mints that pay next to nothing count as free: a stolen signer could name any fee.
    function _countMint(uint256 fee) private {
        if (fee >= paidFrom && fee > 0) return;
        uint64 day = uint64(block.timestamp / 1 days);
        if (day != _freeMintDay) {
            _freeMintDay = day;
            _freeMints = 0;
        }
        if (_freeMints >= freeMintsPerDay) revert FreeMintsUsedUp((uint256(day) + 1) * 1 days);
        ++_freeMints;
    }

    function _setMintLimits(uint32 freeMintsPerDay_, uint256 paidFrom_) private {
        freeMintsPerDay = freeMintsPerDay_;
        paidFrom = paidFrom_;
        emit MintLimitsChanged(freeMintsPerDay_, paidFrom_);
    }

    function _register(address owner, address token, string memory symbol, uint256 fee, bool receipt)
        private
        returns (uint256 tokenId)
    {
        _requireSymbol(symbol);
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
        delete _ends[tokenId];
        _burn(tokenId);
    }

    function _useConsent(address holder, SettlementConsent calldata c, bytes calldata signature)
        private
        returns (bytes32 consent)
    {
        if (c.chainId != block.chainid) revert WrongChain(c.chainId);
        if (block.timestamp > c.deadline) revert StatementExpired(c.deadline);
        if (consentUsed[holder][c.nonce]) revert NonceAlreadyUsed(c.nonce);
        consent = keccak256(abi.encode(SETTLEMENT_CONSENT_TYPEHASH, c));
        if (!_isSignedByWallet(holder, consent, signature)) revert InvalidSignature();
        consentUsed[holder][c.nonce] = true;
    }

    /// Pay the holder from the sender. This comes after all changes: a wallet or token that calls back finds the
    /// registration with its new owner, and a payment that fails reverts everything. What arrives must be the whole
    /// amount, so tokens that take a fee are refused.
    function _pay(address holder, address currency, uint256 amount) private {
        if (currency == address(0)) {
            if (msg.value != amount) revert WrongPayment(amount, msg.value);
            (bool paid,) = holder.call{value: amount}("");
            if (!paid) revert PaymentRefused(holder);
            return;
        }
        if (msg.value != 0) revert WrongPayment(0, msg.value);
        uint256 before = IERC20(currency).balanceOf(holder);
        IERC20(currency).safeTransferFrom(msg.sender, holder, amount);
        uint256 received = IERC20(currency).balanceOf(holder) - before;
        if (received != amount) revert WrongPayment(amount, received);
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

    function _requireEnd(uint256 tokenId) private view returns (PendingEnd storage end) {
        end = _ends[tokenId];
        if (!_isPending(end)) revert NoEndAnnounced(tokenId);
    }

    /// Whether an announced end still stands: its signer does, and it has not lapsed.
    function _isPending(PendingEnd storage end) private view returns (bool) {
        return end.reason != 0 && end.signerEra == _signerEra && block.timestamp <= end.dueAt + EXECUTION_WINDOW;
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
    function _requireSymbol(string memory symbol) private pure {
        bytes memory text = bytes(symbol);
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
