"""Consents to migrations: the controller of a token names its successor, which is then no copy of it."""
