"""The token list: a version for every change of what is registered."""
