"""Whole units of common tokens, in base units."""

ETHER = 10**18
DOLLAR = 10**6
"""Of stablecoins with six decimals."""
