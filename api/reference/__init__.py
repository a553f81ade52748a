"""The OpenAPI document over HTTP."""
