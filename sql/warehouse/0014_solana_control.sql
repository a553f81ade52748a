-- Who controls a token of Solana, and what its holders should know.
ALTER TABLE agg_token
    ADD COLUMN IF NOT EXISTS program LowCardinality(String) COMMENT 'Solana: spl_token or token_2022' AFTER named_time,
    ADD COLUMN IF NOT EXISTS traits Array(LowCardinality(String)) COMMENT 'Solana: warehouse/domain/mints.py' AFTER program,
    ADD COLUMN IF NOT EXISTS authorities Array(Tuple(
        kind LowCardinality(String), account String, since_block UInt64, since_time DateTime('UTC')))
    COMMENT 'Solana: who holds the mint, freeze and update authority, and since when without a break' AFTER traits;

ALTER TABLE serve_token
    ADD COLUMN IF NOT EXISTS program LowCardinality(String) COMMENT 'Solana: spl_token or token_2022' AFTER named_at,
    ADD COLUMN IF NOT EXISTS mint_authority String COMMENT 'empty: nobody' AFTER program,
    ADD COLUMN IF NOT EXISTS freeze_authority String AFTER mint_authority,
    ADD COLUMN IF NOT EXISTS update_authority String AFTER freeze_authority,
    ADD COLUMN IF NOT EXISTS trust_flags Array(LowCardinality(String))
    COMMENT 'what holders should know, sorted (warehouse/domain/trust.py)' AFTER update_authority;

-- Rows written before stay without flags, as all tokens of EVM chains are.
ALTER TABLE serve_token
    MODIFY COLUMN document String MATERIALIZED toJSONString(CAST(
        (
            symbol, name, name_source, sources, decimals, holders, toString(price_usd), toString(market_cap_usd),
            toString(fdv_usd), toString(volume_24h_usd), toString(liquidity_usd), toString(price_change_24h),
            toString(heartbeat_score), token_rank, is_copy, copy_of_chain_id, lower(hex(copy_of_address)), copy_rule,
            registration_token_id, lower(hex(registration_owner)), lower(hex(registration_manager)),
            lower(hex(registry_address)), toUnixTimestamp(registered_at), registration_expired, verification_method,
            toUnixTimestamp(verified_at), logo_url, website, twitter, telegram, discord, as_of_block,
            toUnixTimestamp(as_of_time), made_by_factory, program, lower(hex(mint_authority)),
            lower(hex(freeze_authority)), lower(hex(update_authority)), trust_flags
        ),
        'Tuple(symbol String, name String, name_source String, sources Array(String), decimals Nullable(UInt8),
            holders Nullable(UInt64), price_usd Nullable(String), market_cap_usd Nullable(String),
            fdv_usd Nullable(String), volume_24h_usd Nullable(String), liquidity_usd Nullable(String),
            price_change_24h Nullable(String), heartbeat_score Nullable(String), token_rank Nullable(UInt64),
            is_copy UInt8, copy_of_chain_id UInt32, copy_of_address String, copy_rule String,
            registration_token_id Nullable(UInt64), registration_owner String, registration_manager String,
            registry_address String, registered_at Nullable(UInt32), registration_expired UInt8,
            verification_method String, verified_at Nullable(UInt32), logo_url String, website String,
            twitter String, telegram String, discord String, as_of_block UInt64, as_of_time UInt32,
            made_by_factory UInt8, program String, mint_authority String, freeze_authority String,
            update_authority String, trust_flags Array(String))'));

ALTER TABLE serve_provenance
    ADD COLUMN IF NOT EXISTS qualifies_from DateTime('UTC')
    COMMENT 'from when on the wallet may act on it: 7 days after an authority changed hands; 1970: always' AFTER is_copy,
    MODIFY COLUMN method LowCardinality(String)
    COMMENT 'deployer, owner, admin, mint_authority, update_authority, majority_holder';

ALTER TABLE agg_provenance
    ADD COLUMN IF NOT EXISTS qualify_from Array(DateTime('UTC')) COMMENT 'of each of the controls' AFTER controls;

-- Which mints an account of Solana created or was put in charge of: each pair twice, found by either side. Of an account
-- with many, only the earliest are kept, as many as decide about it (warehouse/domain/authorities.py).
CREATE TABLE agg_account_token
(
    chain_id UInt32,
    side LowCardinality(String) COMMENT 'what key is: account or token',
    key String,
    other String,
    block_number UInt64 COMMENT 'of the first statement that says so',
    position UInt32,
    signed UInt8 COMMENT 'whether the account ever signed for the mint',
    deleted UInt8,
    version UInt64
)
ENGINE = ReplacingMergeTree(version) PARTITION BY chain_id ORDER BY (chain_id, side, key, other)
SETTINGS index_granularity = 512;

CREATE OR REPLACE VIEW published_agg_token AS SELECT * EXCEPT (deleted, version) FROM agg_token FINAL WHERE deleted = 0;

CREATE OR REPLACE VIEW published_serve_token AS
WITH (SELECT max(version) FROM serve_publication) AS published
SELECT * EXCEPT (version, deleted)
FROM
(
    SELECT *
    FROM serve_token
    WHERE version <= published
    ORDER BY symbol_key DESC, chain_id DESC, address DESC, version DESC
    LIMIT 1 BY symbol_key, chain_id, address
)
WHERE deleted = 0;

CREATE OR REPLACE VIEW published_agg_provenance AS SELECT * EXCEPT (version) FROM agg_provenance FINAL;

CREATE OR REPLACE VIEW published_serve_provenance AS
WITH (SELECT max(version) FROM serve_publication) AS published
SELECT * EXCEPT (version, deleted)
FROM
(
    SELECT *
    FROM serve_provenance
    WHERE version <= published
    ORDER BY wallet DESC, chain_id DESC, token DESC, method DESC, version DESC
    LIMIT 1 BY wallet, chain_id, token, method
)
WHERE deleted = 0;

CREATE VIEW published_agg_account_token AS
SELECT chain_id, key AS account, other AS token, block_number, position, signed
FROM agg_account_token FINAL
WHERE deleted = 0 AND side = 'account';
