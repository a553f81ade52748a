"""Wallet sign-in: nonces, Sign-In with Ethereum and with Solana, sessions, and the keys that sign them."""
