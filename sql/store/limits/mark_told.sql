UPDATE api_usage SET told = %(percent)s WHERE subject = %(subject)s AND day = %(day)s AND told < %(percent)s
