// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";
import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";

/// Tokens of the ordinary manners: what most of a chain looks like.
contract PlainToken is ERC20 {
    uint8 private immutable _places;

    constructor(string memory name_, string memory symbol_, uint8 places, uint256 supply, address holder)
        ERC20(name_, symbol_)
    {
        _places = places;
        if (supply > 0) _mint(holder, supply);
    }

    function decimals() public view override returns (uint8) {
        return _places;
    }
}

contract OwnedToken is PlainToken, Ownable {
    constructor(string memory name_, string memory symbol_, uint8 places, uint256 supply, address holder)
        PlainToken(name_, symbol_, places, supply, holder)
        Ownable(holder)
    {}

    function mint(address to, uint256 amount) external onlyOwner {
        _mint(to, amount);
    }

    function burn(uint256 amount) external {
        _burn(msg.sender, amount);
    }
}

contract RoleToken is PlainToken, AccessControl {
    constructor(string memory name_, string memory symbol_, uint8 places, uint256 supply, address holder)
        PlainToken(name_, symbol_, places, supply, holder)
    {
        _grantRole(DEFAULT_ADMIN_ROLE, holder);
    }
}

/// Keeps two per cent of every transfer between wallets for a collector.
contract FeeToken is PlainToken {
    address private immutable _collector;

    constructor(string memory name_, string memory symbol_, uint8 places, uint256 supply, address holder)
        PlainToken(name_, symbol_, places, supply, holder)
    {
        _collector = holder;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (from == address(0) || to == address(0) || from == _collector || to == _collector) {
            super._update(from, to, value);
            return;
        }
        uint256 fee = value / 50;
        super._update(from, _collector, fee);
        super._update(from, to, value - fee);
    }
}

/// Changes balances by a proportion, and says so with mints and burns.
contract ElasticToken is PlainToken, Ownable {
    constructor(string memory name_, string memory symbol_, uint8 places, uint256 supply, address holder)
        PlainToken(name_, symbol_, places, supply, holder)
        Ownable(holder)
    {}

    function rebase(address[] calldata holders, int256 partsPerMillion) external onlyOwner {
        for (uint256 i = 0; i < holders.length; ++i) {
            uint256 balance = balanceOf(holders[i]);
            if (partsPerMillion >= 0) _mint(holders[i], balance * uint256(partsPerMillion) / 1e6);
            else _burn(holders[i], balance * uint256(-partsPerMillion) / 1e6);
        }
    }
}

/// A collection: its Transfer has the same name and four topics, and must never be taken for a token's.
contract Collectible is ERC721 {
    uint256 private _next = 1;

    constructor(string memory name_, string memory symbol_) ERC721(name_, symbol_) {}

    function mint(address to) external {
        _mint(to, _next++);
    }
}
