-- How many served rows there are, in all versions.
SELECT (SELECT count() FROM serve_token) + (SELECT count() FROM serve_symbol) + (SELECT count() FROM serve_provenance)
    AS served
