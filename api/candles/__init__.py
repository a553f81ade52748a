"""Candles: the price of a token over time."""
