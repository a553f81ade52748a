"""EVM chains: the source, the JSON-RPC clients, decoders, and tuned parsers."""
