"""``regalia demo``: the whole system on a local chain with real contracts, created again each time."""
