-- How much there is that another key than the present one encrypted.
SELECT 'contacts' AS kind, count(*) AS n FROM contact WHERE substring(sealed FROM 1 FOR 5) <> %(mark)s
UNION ALL
SELECT 'rooms', count(*) FROM community_room WHERE substring(sealed FROM 1 FOR 5) <> %(mark)s
UNION ALL
SELECT 'webhook secrets', count(*) FROM webhook_secret WHERE substring(sealed FROM 1 FOR 5) <> %(mark)s
