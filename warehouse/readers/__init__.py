"""Typed readers over ``sql/queries``: one statement in, values out, no product rules."""
