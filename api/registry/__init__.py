"""The registry protocol: what it is and where it runs."""
