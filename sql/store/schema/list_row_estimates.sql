-- Rows of every table as the server estimates them, a second behind.
SELECT relname AS name, n_live_tup AS row_count FROM pg_stat_user_tables WHERE schemaname = %(schema)s
