UPDATE broadcast SET try_at = %(at)s WHERE id = %(id)s AND status IN ('queued', 'sending')
