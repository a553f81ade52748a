"""Holders who want to hear from a token's page."""
