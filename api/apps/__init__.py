"""Apps that pages may install."""
