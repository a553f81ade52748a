"""Hand-tuned parts of the EVM indexer; README.md says what each gains."""
