"""The engines Regalia brings along: ClickHouse over chDB and PostgreSQL from a wheel, each in a process of its own."""
