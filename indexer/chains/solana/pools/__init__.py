"""Pools of declared programs: from the instructions of a block to trades, prices and liquidity (decision 42)."""
