"""Our Solidity contracts, their committed build output, and the code that signs, deploys and calls them."""
