-- Forget that a unit changed anything: it is deleted and will not appear again.
DELETE FROM fact_change WHERE chain_id = {chain_id:UInt32} AND change_id = {unit_id:UInt64}
