"""``python -m <package> DIRECTORY``: run the server in the foreground. Passwords come from the environment."""

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from . import __doc__ as description
from .access import Users
from .ownership import DataDirectoryInUse
from .server import serve, url

OWNER_VARIABLE = "CLICKHOUSE_PASSWORD"
ANALYST_VARIABLE = "CLICKHOUSE_ANALYST_PASSWORD"


def main() -> int:
    """Run the server; the exit status is 0 after a shutdown by signal."""
    parser = argparse.ArgumentParser(description=(description or "").partition("\n")[0])
    parser.add_argument("directory", type=Path, help="folder of the engine; made if it does not exist")
    parser.add_argument("--port", type=int, default=0, help="port on the loopback interface; 0 takes a free one")
    parser.add_argument("--database", default="default", help="database of connections that name none")
    given = parser.parse_args()

    @contextmanager
    def announced(port: int) -> Iterator[None]:
        print(url("default", "", port, given.database).replace(":@", "@"), flush=True)
        yield

    try:
        users = Users(os.environ.get(OWNER_VARIABLE, ""), os.environ.get(ANALYST_VARIABLE, ""))
        serve(given.directory.absolute(), users, port=given.port, database=given.database, running=announced)
    except ValueError:
        print(f"error: set {OWNER_VARIABLE} and {ANALYST_VARIABLE}", file=sys.stderr)
        return 1
    except (DataDirectoryInUse, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
