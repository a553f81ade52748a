-- Domains that are verified no more keep what was set: it holds again once they are.
UPDATE registration_domain SET badge = domain = ANY(%(badges)s), embeds = domain = ANY(%(embeds)s)
WHERE chain_id = %(chain_id)s AND token_id = %(token_id)s AND verified_at IS NOT NULL
