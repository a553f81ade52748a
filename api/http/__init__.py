"""The HTTP machinery that every route group shares: errors, limits of requests, caching, rendering."""
