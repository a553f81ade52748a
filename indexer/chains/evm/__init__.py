"""EVM chains: the JSON-RPC client and what it fetches."""
