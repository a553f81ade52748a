SELECT used FROM api_usage WHERE subject = %(subject)s AND day = %(day)s
