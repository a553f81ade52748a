"""Hand-tuned parts of the EVM indexer."""
