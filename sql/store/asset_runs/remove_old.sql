-- History of asset runs that nobody asks for any more; each asset's sums and last run are kept in asset_total.
DELETE FROM asset_run WHERE started_at < %(before)s
