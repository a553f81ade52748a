-- Whether rows may have been superseded that the last cleaning left: it leaves those of the last eleven minutes.
SELECT coalesce(
    max(last_started_at) FILTER (WHERE asset = 'publication')
        > max(last_started_at) FILTER (WHERE asset = 'cleaning') - interval '15 minutes',
    true) AS due
FROM asset_total
