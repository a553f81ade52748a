"""Alert rules: what users watch on a token, and the alerts that follow."""
