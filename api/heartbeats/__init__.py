"""Heartbeats: how alive a token is, now and by the hour, and which registrations are in danger."""
