"""Marts of what happened on the chains."""

from warehouse.marts.mart import AS_OF_BLOCK, CHAIN, FLOAT, TEXT, TIME, TOKEN, Column, Mart, amount_of, nullable

_EVENT = (
    Column("block_number", "UInt64", "Block of the event; the slot on Solana."),
    Column("log_index", "UInt32", "Position of the event in its block."),
    Column("block_time", TIME, "Time of the block, in UTC."),
    Column(
        "transaction_hash", TEXT, "Transaction of the event: hexadecimal with 0x, the signature in base58 on Solana."
    ),
)

CHAINS = Mart(
    name="chains",
    comment="The chains, and up to which block each is published.",
    grain="a chain",
    key=("chain",),
    internals=("chain_config", "chain_publication", "raw_block", "dropped_month"),
    columns=(
        *CHAIN,
        Column("native_symbol", TEXT, "Symbol of the native coin."),
        AS_OF_BLOCK,
        Column("as_of_time", nullable(TIME), "Time of that block, in UTC."),
        Column(
            "transfers_from_block",
            "UInt64",
            "The mart transfers is complete from this block on: older ones may have been dropped. 0 if none were.",
        ),
    ),
)
BLOCKS = Mart(
    name="blocks",
    comment="Every published block.",
    grain="a block",
    key=("chain", "block_number"),
    month_of="block_time",
    internals=("raw_block",),
    columns=(
        *CHAIN,
        Column("block_number", "UInt64", "Number of the block; the slot on Solana."),
        Column("block_time", TIME, "Time of the block, in UTC."),
        Column("block_hash", TEXT, "Hash of the block."),
        Column("parent_hash", TEXT, "Hash of the block before it."),
        Column("transaction_count", "UInt32", "How many transactions it holds."),
        AS_OF_BLOCK,
    ),
)
TRANSFERS = Mart(
    name="transfers",
    comment="Every transfer of a token, with mints and burns, from the block on that chains.transfers_from_block says.",
    grain="a transfer",
    key=("chain", "block_number", "log_index"),
    month_of="block_time",
    internals=("fact_transfer", "agg_token"),
    columns=(
        *CHAIN,
        *TOKEN,
        *_EVENT,
        Column("kind", TEXT, "transfer, mint or burn."),
        Column("from_address", TEXT, "Wallet that sent; the zero address for a mint."),
        Column("to_address", TEXT, "Wallet that received; the zero address for a burn."),
        *amount_of("What was moved"),
        AS_OF_BLOCK,
    ),
)
TRADES = Mart(
    name="trades",
    comment="Every swap in a pool, valued in US dollars at its time.",
    grain="a swap",
    key=("chain", "block_number", "log_index"),
    month_of="block_time",
    internals=("fact_swap", "fact_pool", "agg_token", "agg_quote_minute"),
    columns=(
        *CHAIN,
        *_EVENT,
        Column("exchange", TEXT, "Exchange of the pool, such as uniswap."),
        Column("protocol", TEXT, "How its pools work, such as uniswap_v3."),
        Column("pool", TEXT, "Address of the pool; its id on Uniswap V4."),
        Column("token_sold", TEXT, "Address of the token that the pool took."),
        Column("symbol_sold", TEXT, "Symbol of that token."),
        *amount_of("What the pool took", "amount_sold"),
        Column("token_bought", TEXT, "Address of the token that the pool gave."),
        Column("symbol_bought", TEXT, "Symbol of that token."),
        *amount_of("What the pool gave", "amount_bought"),
        Column(
            "amount_usd",
            nullable(FLOAT),
            "Value in US dollars: the stablecoin or native coin of the trade at its price of that minute. Approximate; "
            "null where the pool is not believed or the price is unknown.",
        ),
        Column("sender", TEXT, "Account that called the pool, often a router; the fee payer on Solana."),
        Column("recipient", TEXT, "Account that received; empty on Uniswap V4 and Solana."),
        AS_OF_BLOCK,
    ),
)
POOLS = Mart(
    name="pools",
    comment="Every pool, with what it holds now.",
    grain="a pool",
    key=("chain", "pool"),
    internals=("fact_pool", "agg_pool_liquidity", "agg_token", "agg_quote_minute"),
    columns=(
        *CHAIN,
        Column("pool", TEXT, "Address of the pool; its id on Uniswap V4."),
        Column("exchange", TEXT, "Exchange of the pool, such as uniswap."),
        Column("protocol", TEXT, "How it works, such as uniswap_v3."),
        Column("factory", TEXT, "Contract or program that made it."),
        Column("token0", TEXT, "Address of its first token."),
        Column("symbol0", TEXT, "Symbol of its first token."),
        Column("token1", TEXT, "Address of its second token."),
        Column("symbol1", TEXT, "Symbol of its second token."),
        Column("fee_ppm", "UInt32", "Fee in parts per million; 0 where the pool does not announce one."),
        *amount_of("What it holds of the first token", "amount0"),
        *amount_of("What it holds of the second token", "amount1"),
        Column(
            "liquidity_usd",
            nullable(FLOAT),
            "Twice its smaller side in US dollars, counted by its stablecoin or native coin. Approximate; null where "
            "the pool is not believed.",
        ),
        Column("believed", "Bool", "Whether prices may rest on it: a known exchange, no hooks, a quote on one side."),
        Column("created_block", "UInt64", "Block in which it was made."),
        Column("created_time", TIME, "Time of that block, in UTC."),
        Column("transaction_hash", TEXT, "Transaction that made it."),
        AS_OF_BLOCK,
    ),
)
MARTS = (CHAINS, BLOCKS, TRANSFERS, TRADES, POOLS)
