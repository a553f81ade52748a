"""The fee schedule."""
