"""Messages of a token's owner and managers to its subscribed holders."""
