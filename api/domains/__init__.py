"""Domains of registrations, proven by a TXT record."""
