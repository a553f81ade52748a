// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {PlainToken} from "./Tokens.sol";

/// A token that makes many real transfers in one transaction: balances move, and every move is an event.
contract SprayToken is PlainToken {
    constructor(string memory name_, string memory symbol_, uint8 places, uint256 supply, address holder)
        PlainToken(name_, symbol_, places, supply, holder)
    {}

    /// Moves small amounts among `holders` wallets drawn from `seed`, the first ones most often; who has nothing yet
    /// gets it from the caller.
    function spray(uint256 seed, uint256 count, uint256 holders) external {
        for (uint256 i = 0; i < count; ++i) {
            uint256 chance = uint256(keccak256(abi.encode(seed, i)));
            address from = _wallet(uint64(chance), holders);
            address to = _wallet(uint64(chance >> 64), holders);
            uint256 amount = 1 + uint96(chance >> 128) % 1e18;
            _transfer(balanceOf(from) < amount ? msg.sender : from, to, amount);
        }
    }

    function _wallet(uint64 chance, uint256 holders) private pure returns (address) {
        uint256 number = (uint256(chance) * uint256(chance) * holders) >> 128;
        return address(uint160(uint256(keccak256(abi.encode("bulk wallet", number)))));
    }
}

interface IToken {
    function transfer(address to, uint256 amount) external returns (bool);
    function balanceOf(address account) external view returns (uint256);
}

interface IPairV2 {
    function getReserves() external view returns (uint112, uint112, uint32);
    function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes calldata data) external;
}

interface IPoolV3 {
    function token0() external view returns (address);
    function token1() external view returns (address);
    function swap(address recipient, bool zeroForOne, int256 amount, uint160 limit, bytes calldata data)
        external
        returns (int256, int256);
}

/// Holds tokens and swaps them on genuine pools, many times in one transaction.
contract BulkTrader {
    /// Each order: pool (160 bits) | V3 (1 bit at 160) | token1 in (1 bit at 161) | size in millionths of what the
    /// pool has (32 bits at 192).
    function trade(uint256[] calldata orders) external {
        for (uint256 i = 0; i < orders.length; ++i) {
            uint256 order = orders[i];
            address pool = address(uint160(order));
            bool oneIn = (order >> 161) & 1 == 1;
            uint256 size = uint32(order >> 192);
            if ((order >> 160) & 1 == 1) _tradeV3(pool, oneIn, size);
            else _tradeV2(pool, oneIn, size);
        }
    }

    function uniswapV3SwapCallback(int256 amount0, int256 amount1, bytes calldata) external {
        if (amount0 > 0) IToken(IPoolV3(msg.sender).token0()).transfer(msg.sender, uint256(amount0));
        if (amount1 > 0) IToken(IPoolV3(msg.sender).token1()).transfer(msg.sender, uint256(amount1));
    }

    function _tradeV2(address pool, bool oneIn, uint256 size) private {
        (uint256 in_, uint256 out,) = IPairV2(pool).getReserves();
        if (oneIn) (in_, out) = (out, in_);
        uint256 paid = in_ * size / 1e6;
        IToken(oneIn ? IPoolV3(pool).token1() : IPoolV3(pool).token0()).transfer(pool, paid);
        uint256 got = paid * 997 * out / (in_ * 1000 + paid * 997);
        IPairV2(pool).swap(oneIn ? got : 0, oneIn ? 0 : got, address(this), "");
    }

    function _tradeV3(address pool, bool oneIn, uint256 size) private {
        IToken token = IToken(oneIn ? IPoolV3(pool).token1() : IPoolV3(pool).token0());
        uint160 limit = oneIn ? 1461446703485210103287273052203988822378723970341 : 4295128740;
        IPoolV3(pool).swap(address(this), !oneIn, int256(token.balanceOf(pool) * size / 1e6), limit, "");
    }
}
