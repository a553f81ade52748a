"""Credentials: who may call a route, sessions, signatures, and the service's own keys."""
