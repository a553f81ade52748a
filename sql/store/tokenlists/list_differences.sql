-- The differences between two versions, entry by entry: the earlier values (old_*) and the later ones.
WITH old AS (
    SELECT * FROM token_list_entry
    WHERE from_version <= %(from_version)s AND until_version > %(from_version)s AND until_version <= %(to_version)s
),
new AS (
    SELECT * FROM token_list_entry
    WHERE from_version > %(from_version)s AND from_version <= %(to_version)s
      AND (until_version IS NULL OR until_version > %(to_version)s)
)
SELECT
    chain_id, address,
    new.crown_id, new.symbol, new.name, new.decimals, new.logo_uri,
    old.crown_id AS old_crown_id, old.symbol AS old_symbol, old.name AS old_name, old.decimals AS old_decimals,
    old.logo_uri AS old_logo_uri
FROM old
FULL JOIN new USING (chain_id, address)
WHERE (new.crown_id, new.symbol, new.name, new.decimals, new.logo_uri)
    IS DISTINCT FROM (old.crown_id, old.symbol, old.name, old.decimals, old.logo_uri)
ORDER BY chain_id, address
