"""The store as the API uses it: connections, background jobs, events."""
