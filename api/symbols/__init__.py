"""Checking whether a symbol is fit to be registered."""
