UPDATE page_subscription SET channels = array_remove(channels, %(channel)s) WHERE id = %(id)s
