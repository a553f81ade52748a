-- The job tables belong to libraries, each in its own schema. They are absent until the library creates them.
SELECT to_regclass('operator_alert') IS NOT NULL AS migrated,
       to_regclass('jobs.procrastinate_jobs') IS NOT NULL AS jobs,
       to_regclass('webhook_delivery') IS NOT NULL AS webhooks,
       to_regclass('dagster.runs') IS NOT NULL AS dagster
