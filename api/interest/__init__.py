"""Interest in tokens that nobody has registered."""
