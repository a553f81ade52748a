"""Metadata that is uploaded: JSON documents and images under the name of their content, a CID."""
