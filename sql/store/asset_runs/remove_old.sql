-- Remove old history of asset runs. Each asset's totals and last run are kept in asset_total.
DELETE FROM asset_run WHERE started_at < %(before)s
