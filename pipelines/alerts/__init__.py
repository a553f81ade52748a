"""Evaluation of all alert rules, every 15 minutes."""
