"""Registrations: reading them, and finding out what a wallet may claim."""
