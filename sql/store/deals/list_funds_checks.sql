SELECT id, wallet, funded_percent, verified, block_number, checked_at
FROM deal_funds_check
WHERE deal_id = %(deal_id)s
ORDER BY id
