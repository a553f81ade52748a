SELECT change_id, details
FROM derive_checkpoint
WHERE subject = %(subject)s AND chain_id = %(chain_id)s
