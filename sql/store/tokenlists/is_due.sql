-- Whether registrations were last compared with the list so many seconds ago, or never.
SELECT coalesce(max(updated_at) < now() - make_interval(secs => %(seconds)s), true) AS due
FROM derive_checkpoint
WHERE subject = 'token_list'
