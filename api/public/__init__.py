"""Reads that need no credential: verified coins, their apps and sites, and holdings."""
