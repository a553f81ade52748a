"""``regalia demo``: the whole system on a local chain with real contracts, made anew each time."""
