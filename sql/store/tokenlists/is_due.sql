-- Whether the list was last compared with the registrations at least that many seconds ago, or never.
SELECT coalesce(max(updated_at) < now() - make_interval(secs => %(seconds)s), true) AS due
FROM derive_checkpoint
WHERE subject = 'token_list'
