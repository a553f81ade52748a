// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC1967Proxy} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
import {ERC1967Utils} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Utils.sol";
import {TransparentUpgradeableProxy} from "@openzeppelin/contracts/proxy/transparent/TransparentUpgradeableProxy.sol";
import {Initializable} from "@openzeppelin/contracts/proxy/utils/Initializable.sol";
import {UUPSUpgradeable} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// Logic behind the proxies. Its metadata lives in the proxy's storage; upgrades are its owner's.
contract UpgradeableToken is ERC20, Ownable, Initializable, UUPSUpgradeable {
    string private _label;
    string private _ticker;

    constructor() ERC20("", "") Ownable(address(1)) {
        _disableInitializers();
    }

    function initialize(string calldata name_, string calldata symbol_, uint256 supply, address holder)
        external
        initializer
    {
        _label = name_;
        _ticker = symbol_;
        _transferOwnership(holder);
        _mint(holder, supply);
    }

    function name() public view override returns (string memory) {
        return _label;
    }

    function symbol() public view override returns (string memory) {
        return _ticker;
    }

    function _authorizeUpgrade(address) internal override onlyOwner {}
}

/// UUPS: no admin slot, the logic's owner upgrades.
contract UupsProxy is ERC1967Proxy {
    constructor(address logic, bytes memory data) payable ERC1967Proxy(logic, data) {}
}

/// Transparent, as OpenZeppelin makes it: the admin slot names a ProxyAdmin contract owned by `admin`.
contract TransparentProxy is TransparentUpgradeableProxy {
    constructor(address logic, address admin, bytes memory data)
        payable
        TransparentUpgradeableProxy(logic, admin, data)
    {}
}

/// The older arrangement: the admin slot names a wallet.
contract WalletAdminProxy is ERC1967Proxy {
    error NotAdmin();

    receive() external payable {
        _fallback();
    }

    constructor(address logic, address admin, bytes memory data) payable ERC1967Proxy(logic, data) {
        ERC1967Utils.changeAdmin(admin);
    }

    function changeProxyAdmin(address admin) external {
        if (msg.sender != ERC1967Utils.getAdmin()) revert NotAdmin();
        ERC1967Utils.changeAdmin(admin);
    }
}
