"""What the owner of a registration and its managers say of it."""
