"""A ClickHouse server in one process: the embedded engine (chDB) behind the ClickHouse HTTP protocol.

One process may own an engine's folder, and Regalia is several; so this one owns it and the others connect by URL,
exactly as to a ClickHouse server.

- ``protocol``: what a request asks for and how an answer looks on the wire;
- ``statements``: just enough lexing to tell inserts from reads and to refuse what must not run;
- ``access``: the two users, and what the analyst may not do;
- ``engine``: handles, threads, cancelling;
- ``sessions``: handles that live from request to request;
- ``execution``: one function per manner of answering (whole, streamed, streaming insert);
- ``app``: the ASGI application; ``server``: the process around it.
"""
