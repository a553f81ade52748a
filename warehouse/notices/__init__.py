"""Telling operators: conditions and messages recorded in the store, and the webhook they are sent to.

Shared by the pipelines, the worker and the supervisor, which see different things go wrong.
"""
