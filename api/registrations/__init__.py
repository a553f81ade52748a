"""Registrations: reads, and what a wallet may claim."""
