"""A local chain with real contracts on it: the node, tokens of every manner, exchanges, and trade among them."""
