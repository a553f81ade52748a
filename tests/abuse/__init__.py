"""Each way in which one client could slow the others, tried in turn beside a paying client."""
