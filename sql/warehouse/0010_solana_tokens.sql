-- Tokens of Solana: which program keeps a mint, and what that program lets others do with balances.
ALTER TABLE fact_token
    ADD COLUMN IF NOT EXISTS program LowCardinality(String)
        COMMENT 'Solana: spl_token or token_2022; empty on EVM chains' AFTER implementation,
    ADD COLUMN IF NOT EXISTS traits Array(String)
        COMMENT 'Solana: what differs from a plain token, such as permanent_delegate or transfer_hook (warehouse/domain/mints.py)' AFTER program,
    COMMENT COLUMN owner 'owner(), empty when the contract has none or renounced it; empty on Solana, where fact_control names authorities',
    COMMENT COLUMN read_status 'ok, partial or broken; on Solana unread while the node has to be asked';

ALTER TABLE fact_transfer
    COMMENT COLUMN log_index 'on Solana: transaction index * 4096 + position among the transfers of the transaction',
    COMMENT COLUMN transaction_hash 'on Solana the first signature, 64 bytes',
    COMMENT COLUMN from_address '20 zero bytes for a mint, on every kind of chain; on Solana the owner of a token account',
    COMMENT COLUMN to_address '20 zero bytes for a burn';

ALTER TABLE fact_contract_creation
    COMMENT COLUMN creator 'sender of the transaction; on Solana its fee payer',
    COMMENT COLUMN factory 'contract or program that created it; empty for a top-level creation';

ALTER TABLE fact_control
    ADD COLUMN IF NOT EXISTS signed UInt8
        COMMENT 'Solana: whether the account itself signed the transaction that put it in charge' AFTER account,
    COMMENT COLUMN kind 'owner, default_admin_granted, default_admin_revoked, proxy_admin, implementation; on Solana mint_authority, freeze_authority, update_authority and those of Token-2022 extensions',
    COMMENT COLUMN account '20 zero bytes when renounced, empty on Solana';

-- A view keeps the columns of when it was made.
CREATE OR REPLACE VIEW published_fact_token AS
WITH (SELECT (chains, blocks) FROM publication_bounds) AS published
SELECT * EXCEPT (unit_id)
FROM fact_token
WHERE read_block <= transform(chain_id, published.1, published.2, toInt64(-1));

CREATE OR REPLACE VIEW published_fact_control AS
WITH (SELECT (chains, blocks) FROM publication_bounds) AS published
SELECT * EXCEPT (unit_id)
FROM fact_control
WHERE block_number <= transform(chain_id, published.1, published.2, toInt64(-1));
