"""Torture: faults of the node, reorganisations and kills at once, and at the end every row as in a fresh index."""
