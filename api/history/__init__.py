"""The public history of registrations, for anyone to verify."""
