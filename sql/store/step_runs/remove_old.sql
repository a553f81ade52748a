-- Remove old history of runs. Each step's totals and last run are kept in asset_total.
DELETE FROM asset_run WHERE started_at < %(before)s
