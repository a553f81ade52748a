"""One token, by symbol and chain."""
