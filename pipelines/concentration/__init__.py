"""Concentration: what the largest holders of a token had at the end of each day."""
