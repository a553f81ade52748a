-- Domains that are no longer verified keep their settings, which apply again once they are verified.
UPDATE registration_domain SET badge = domain = ANY(%(badges)s), embeds = domain = ANY(%(embeds)s)
WHERE chain_id = %(chain_id)s AND token_id = %(token_id)s AND verified_at IS NOT NULL
