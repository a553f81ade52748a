SELECT nextval('change_id_seq') AS id
