SELECT count(*) AS n FROM webhook_subscription WHERE account_id = %(account_id)s AND status <> 'deleted'
