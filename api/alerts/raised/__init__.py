"""Alerts that rules raised: what is firing, what was, and what their owner did about them."""
