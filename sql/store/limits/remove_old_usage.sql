DELETE FROM api_usage WHERE day < %(before)s
