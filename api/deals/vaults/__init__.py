"""Merges and redemptions: the deals whose money waits in a vault on the chain."""
