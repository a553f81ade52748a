-- How far a BACKUP or RESTORE is.
SELECT status, error, bytes_read AS done, total_size AS total
FROM system.backups
WHERE id = {id:String}
