"""What every route group shares: settings, errors, access, limits, rendering, the store and the warehouse."""
