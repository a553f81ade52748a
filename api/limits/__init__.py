"""How much callers may ask: requests a second and a day by plan, and by address where no credential is needed."""
