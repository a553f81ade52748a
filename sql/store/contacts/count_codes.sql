-- Codes asked for since a moment: of an account, and to an address by whomever; and when the oldest of each was.
SELECT
    count(*) FILTER (WHERE account_id = %(account_id)s AND asked_at > %(day_ago)s) AS of_account,
    count(*) FILTER (WHERE fingerprint = %(fingerprint)s AND asked_at > %(hour_ago)s) AS to_address
FROM contact_code
WHERE asked_at > %(day_ago)s AND (account_id = %(account_id)s OR fingerprint = %(fingerprint)s)
