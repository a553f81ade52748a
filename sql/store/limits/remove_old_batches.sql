DELETE FROM usage_writer WHERE written_at < %(before)s
