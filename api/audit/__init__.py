"""The audit log of accounts: reading it, and removing what is old. ``api/store/audit.py`` writes it."""
