-- The job tables belong to libraries, each in a schema of its own; they are absent until the library made them.
SELECT to_regclass('operator_alert') IS NOT NULL AS migrated,
       to_regclass('jobs.procrastinate_jobs') IS NOT NULL AS jobs,
       to_regclass('webhook_delivery') IS NOT NULL AS webhooks,
       to_regclass('dagster.runs') IS NOT NULL AS dagster
