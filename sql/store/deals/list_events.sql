SELECT id, deal_id, event_type, event_data, actor, created_at FROM deal_event WHERE deal_id = %(deal_id)s ORDER BY id
