"""The token list, its versions, and listings for other platforms."""
