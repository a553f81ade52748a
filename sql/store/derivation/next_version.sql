SELECT nextval('publication_version_seq') AS version
