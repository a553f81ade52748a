INSERT INTO deal_event (deal_id, event_type, event_data, actor, created_at)
VALUES (%(deal_id)s, %(event_type)s, %(event_data)s::jsonb, %(actor)s, %(created_at)s)
