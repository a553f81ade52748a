"""API keys of an account: made, changed, rolled and revoked by its sessions."""
