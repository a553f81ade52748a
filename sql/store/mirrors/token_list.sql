-- Entries of the token list, with the versions that began and ended them.
SELECT entry.chain_id, entry.address AS token, entry.from_version,
       concat_ws('.', began.major, began.minor, began.patch) AS from_name,
       extract(epoch FROM began.published_at)::bigint AS from_time,
       CASE WHEN ended.version_id IS NULL THEN '' ELSE concat_ws('.', ended.major, ended.minor, ended.patch) END
           AS until_name,
       extract(epoch FROM ended.published_at)::bigint AS until_time, entry.crown_id AS token_id, entry.symbol,
       entry.name, entry.decimals, coalesce(entry.logo_uri, '') AS logo_url,
       extract(epoch FROM entry.listed_since)::bigint AS listed_since
FROM token_list_entry AS entry
JOIN token_list_version AS began ON began.version_id = entry.from_version
LEFT JOIN token_list_version AS ended ON ended.version_id = entry.until_version
WHERE coalesce(ended.published_at, began.published_at) >= %(since)s
ORDER BY entry.chain_id, entry.address, entry.from_version
