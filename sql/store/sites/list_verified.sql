SELECT domain, badge, embeds FROM registration_domain
WHERE chain_id = %(chain_id)s AND token_id = %(token_id)s AND verified_at IS NOT NULL ORDER BY domain
