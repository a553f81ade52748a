"""Our Solidity, its committed build output, and what signs, deploys and speaks to it."""
