"""Facts about chains and well-known coins, read from TOML."""
