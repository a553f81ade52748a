-- What an address's checksum (EIP-55) is made from, kept beside it: a list of thousands of tokens would hash each again.
ALTER TABLE serve_provenance
    ADD COLUMN IF NOT EXISTS address_hash FixedString(32) MATERIALIZED keccak256(lower(hex(token)))
    COMMENT 'Keccak-256 of the token in lower-case hexadecimal';
