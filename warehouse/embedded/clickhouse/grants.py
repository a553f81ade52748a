"""``SHOW GRANTS`` of the analyst. The engine knows one user who may do everything; what the analyst may do is this
server's rule, so this server answers: the databases that the analyst sees, as the analyst's own statement lists them.
"""

from .errors import denied
from .statements import output_format, tokens

_STATEMENT = """
SELECT concat(right, ' ON ', name, '.* TO {user}') AS `GRANTS FOR {user}`
FROM (
    SELECT 'GRANT SHOW, SELECT' AS right, name
    FROM system.databases
    WHERE lower(name) NOT IN ('system', 'information_schema')
    UNION ALL
    SELECT 'GRANT SELECT' AS right, arrayJoin(['system', 'information_schema']) AS name
)
ORDER BY right DESC, name
"""


def grants_statement(sql: bytes, user: str) -> bytes | None:
    """The statement to run for ``SHOW GRANTS``; None for any other.

    Raises:
        ClickHouseError: it asks for another user's.
    """
    words = [token.upper for _, token in zip(range(4), tokens(sql), strict=False)]
    if words[:2] != [b"SHOW", b"GRANTS"]:
        return None
    if words[2:3] == [b"FOR"] and words[3:] not in ([user.upper().encode()], [b"CURRENT_USER"], [b"CURRENTUSER"]):
        raise denied(f"{user}: only its own grants are shown")
    format_name = output_format(sql)
    suffix = f"FORMAT {format_name}" if format_name else ""
    return (_STATEMENT.format(user=user) + suffix).encode()
