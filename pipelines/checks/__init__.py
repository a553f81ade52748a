"""Checks of the data: what they are, which part of the data a run looks at, what a failure stops."""
