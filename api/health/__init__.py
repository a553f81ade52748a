"""Whether the service lives, whether it can answer, and what it measures about itself."""
