"""Heartbeats: a token's score now and over time, and the registrations at risk."""
