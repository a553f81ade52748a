"""Rules and types that every package shares: values and pure functions, no I/O."""
