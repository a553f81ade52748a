"""A ClickHouse server over chDB, the embedded engine: the HTTP interface of ClickHouse, from one Python process.

Only one process can open a chDB folder. This server opens it, and other processes connect by URL with the drivers they
would use for a ClickHouse server. ``README.md`` says how to run it and what it does not do.

- ``protocol``: requests and answers as HTTP frames them;
- ``statements``: a tokenizer that tells inserts from reads and refuses what must not run;
- ``access``: the two users, and what the analyst may not do;
- ``ownership``: the lock on the folder;
- ``engine``: handles, threads, cancellation;
- ``sessions``: handles that live from request to request;
- ``execution``: complete results, streamed results, streaming inserts;
- ``app``: the ASGI application; ``server``: the process around it.
"""

__version__ = "1.0.0"
