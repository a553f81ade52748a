"""Feeds of buys: live buys over a size, as server-sent events and to a chat."""
