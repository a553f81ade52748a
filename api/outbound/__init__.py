"""Requests to addresses that users gave: one client, and where it may connect."""
