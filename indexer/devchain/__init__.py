"""A local chain with real contracts: a node, tokens of every kind, DEXes, and trade among them."""
