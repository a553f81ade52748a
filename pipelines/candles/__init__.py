"""Candles: prices of quotes by the minute, and prices and volumes of tokens by five minutes, hour and day."""
