"""Webhooks: who wants which events sent where, and sending them until they have arrived."""
