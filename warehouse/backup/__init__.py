"""Backups of store, warehouse, keys and uploaded files at one point, and their restoration.

A target holds::

    backups/<name>.json      the manifest of a backup, written last: a backup without one does not exist
    warehouse/<name>/        what ClickHouse's BACKUP wrote: all parts, or those that its full backup lacks
    objects/<hash>           files of the store's dump, uploads and sealed keys, by the SHA-256 of their content

``docs/decisions/0053-backups.md`` says how the point is chosen and why it is correct.
"""
