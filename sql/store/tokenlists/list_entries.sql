-- The entries of a version, the longest listed first.
SELECT chain_id, address, crown_id, symbol, name, decimals, logo_uri
FROM token_list_entry
WHERE from_version <= %(version_id)s AND (until_version IS NULL OR until_version > %(version_id)s)
ORDER BY listed_since, chain_id, address
