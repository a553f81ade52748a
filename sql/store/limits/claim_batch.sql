-- A batch whose response was lost is sent again under the same number and counted once.
INSERT INTO usage_writer (process, number) VALUES (%(process)s, %(number)s)
ON CONFLICT (process) DO UPDATE SET number = excluded.number, written_at = now()
WHERE usage_writer.number < excluded.number
