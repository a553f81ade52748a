"""Search by symbol over all chains."""
