"""Messages that the service keeps for accounts."""
