"""Whether a symbol can be registered."""
