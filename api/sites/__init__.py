"""Which verified domains bear a coin's badge and run its apps, as its owner sets them."""
