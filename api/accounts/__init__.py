"""Accounts, their plans and API keys: what operators do on the command line, and accounts for themselves."""
