"""Accounts and API keys: made on the command line, asked for by the routes."""
