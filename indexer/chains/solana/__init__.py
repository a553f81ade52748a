"""Solana: from JSON-RPC to columns."""
