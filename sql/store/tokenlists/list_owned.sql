-- The entries of a version whose registration a wallet owns, the longest listed first.
SELECT entry.chain_id, entry.address, entry.crown_id, entry.symbol, entry.name, entry.decimals, entry.logo_uri
FROM registration
JOIN token_list_entry AS entry
  ON entry.chain_id = registration.chain_id AND entry.crown_id = registration.token_id
 AND entry.address = registration.token_address
WHERE registration.owner = %(wallet)s AND registration.released_at IS NULL AND registration.expired_at IS NULL
  AND entry.from_version <= %(version_id)s AND (entry.until_version IS NULL OR entry.until_version > %(version_id)s)
ORDER BY entry.listed_since, entry.chain_id, entry.address
LIMIT %(limit)s
