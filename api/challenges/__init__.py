"""Challenges: the controller of a senior established token ends the registration of a copy."""
