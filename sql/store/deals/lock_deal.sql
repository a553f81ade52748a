-- What two requests would do to a deal at once waits here.
SELECT id FROM deal WHERE id = %(id)s FOR NO KEY UPDATE
