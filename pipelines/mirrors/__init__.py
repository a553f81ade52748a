"""Mirrors: public rows of the store, copied to the warehouse for the marts."""
