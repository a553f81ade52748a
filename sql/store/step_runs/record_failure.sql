-- Count a step that failed for good. A run whose event is already recorded was counted before.
INSERT INTO asset_total AS total (asset, failures, last_failed_at)
VALUES (%(step)s, 1, now())
ON CONFLICT (asset, chain_id) DO UPDATE SET failures = total.failures + 1, last_failed_at = now()
