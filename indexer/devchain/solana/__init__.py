"""A local Solana node: Surfpool from npm, behind a host that answers about blocks as other nodes do."""
