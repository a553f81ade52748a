-- Rows of the store that marts show: public facts about registrations, claims and the token list. Addresses are text,
-- as the store has them.

CREATE TABLE mirror_registration
(
    chain_id UInt32,
    token_id UInt64,
    symbol String,
    owner String,
    token String,
    registry String,
    transaction_hash String,
    block_number UInt64,
    registered_at DateTime('UTC'),
    fee_raw UInt256 COMMENT 'paid, in base units of the native coin',
    free UInt8 COMMENT 'minted with a receipt of the service',
    verification_method LowCardinality(String),
    metadata_cid String,
    ended_at Nullable(DateTime('UTC')),
    end_reason LowCardinality(String) COMMENT 'empty, released, settled, inactive, challenge_upheld',
    is_final UInt8,
    deleted UInt8,
    version UInt64
)
ENGINE = ReplacingMergeTree(version) ORDER BY (chain_id, token_id);

CREATE TABLE mirror_claim
(
    chain_id UInt32,
    claim_id String,
    token String,
    symbol String,
    wallet String COMMENT 'empty unless the symbol was registered by this claim: an attempt is nobody''s business',
    verification_method LowCardinality(String),
    fee_raw UInt256 COMMENT 'asked, in base units of the native coin',
    price_usd Decimal(18, 2),
    built_at DateTime('UTC'),
    deadline DateTime('UTC'),
    token_id Nullable(UInt64) COMMENT 'of the registration that came of it',
    deleted UInt8,
    version UInt64
)
ENGINE = ReplacingMergeTree(version) ORDER BY (chain_id, claim_id);

CREATE TABLE mirror_token_list
(
    chain_id UInt32,
    token String,
    from_version UInt64,
    from_name String COMMENT 'as in 1.4.0',
    from_time DateTime('UTC'),
    until_name String COMMENT 'first version without this entry; empty: it stands',
    until_time Nullable(DateTime('UTC')),
    token_id UInt64,
    symbol String,
    name String,
    decimals UInt8,
    logo_url String,
    listed_since DateTime('UTC'),
    deleted UInt8,
    version UInt64
)
ENGINE = ReplacingMergeTree(version) ORDER BY (chain_id, token, from_version);

CREATE VIEW published_mirror_registration AS
SELECT * EXCEPT (deleted, version) FROM mirror_registration FINAL WHERE deleted = 0;

CREATE VIEW published_mirror_claim AS SELECT * EXCEPT (deleted, version) FROM mirror_claim FINAL WHERE deleted = 0;

CREATE VIEW published_mirror_token_list AS
SELECT * EXCEPT (deleted, version) FROM mirror_token_list FINAL WHERE deleted = 0;
