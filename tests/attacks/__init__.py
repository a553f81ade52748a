"""Attempts to take the symbols of live projects, generated from a seed and carried out on a real chain."""
