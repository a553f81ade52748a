"""Marts of tokens and of who holds them."""

from warehouse.marts.mart import AS_OF_BLOCK, CHAIN, FLOAT, TEXT, TIME, TOKEN, Column, Mart, amount_of, nullable

_USD = "Approximate; null where unknown."

TOKENS = Mart(
    name="tokens",
    comment="Every token with a symbol, as the API serves it now.",
    grain="a token",
    key=("chain", "token"),
    internals=("serve_token",),
    columns=(
        *CHAIN,
        *TOKEN,
        Column("decimals", nullable("UInt8"), "Decimals of an amount; null where the token does not say."),
        *amount_of("Supply as the token states it", "total_supply"),
        Column("holders", nullable("UInt64"), "Wallets that hold some of it; null until they are counted."),
        Column("top10_share", nullable(FLOAT), "Share of the supply that the ten largest holders have, 0 to 1."),
        Column("price_usd", nullable(FLOAT), f"Price of a whole token in US dollars. {_USD}"),
        Column("price_confidence", nullable(FLOAT), "How far the price can be trusted, 0 to 1."),
        Column("market_cap_usd", nullable(FLOAT), f"Supply in circulation times price. {_USD}"),
        Column("fdv_usd", nullable(FLOAT), f"Whole supply times price. {_USD}"),
        Column("volume_24h_usd", nullable(FLOAT), f"Traded in the last 24 hours, in US dollars. {_USD}"),
        Column("liquidity_usd", nullable(FLOAT), f"Held by its believed pools, in US dollars. {_USD}"),
        Column("price_change_1h", nullable(FLOAT), "Change of the price in one hour, in percent."),
        Column("price_change_6h", nullable(FLOAT), "Change of the price in six hours, in percent."),
        Column("price_change_24h", nullable(FLOAT), "Change of the price in 24 hours, in percent."),
        Column("transactions_24h", nullable("UInt64"), "Swaps of the last 24 hours in pools against a quote."),
        Column("market_score", FLOAT, "Score of its market, 0 to 1: 40 market cap, 30 volume, 30 liquidity."),
        Column("token_rank", nullable("UInt64"), "Rank by market score over all chains; 1 is the highest."),
        Column("heartbeat_score", nullable(FLOAT), "Heartbeat, 0 to 100; null on Solana and before the first score."),
        Column("deployer", TEXT, "Account that created it; empty when the creation was not seen."),
        Column("deployed_block", nullable("UInt64"), "Block of its creation; null when it was not seen."),
        Column("deployed_time", nullable(TIME), "Time of its creation, in UTC; null when it was not seen."),
        Column("first_seen_time", TIME, "When it was first seen, in UTC."),
        Column("is_copy", "Bool", "Whether it is judged a copy of another token with its symbol."),
        Column("copy_of", TEXT, "Address of the token that it copies; empty when it is no copy."),
        Column(
            "copy_rule", TEXT, "Rule behind the verdict: operator, major, registered or senior; empty when no copy."
        ),
        Column("registration_token_id", nullable("UInt64"), "Number of its registration; null when it has none."),
        Column("registration_owner", TEXT, "Wallet that owns its registration; empty when it has none."),
        Column("registered_time", nullable(TIME), "When its symbol was registered, in UTC."),
        Column("registration_expired", "Bool", "Whether that registration no longer counts."),
        Column("program", TEXT, "Program of the mint on Solana: spl_token or token_2022; empty on other chains."),
        Column("mint_authority", TEXT, "Who may mint on Solana; empty for nobody and on other chains."),
        Column("freeze_authority", TEXT, "Who may freeze balances on Solana; empty for nobody and on other chains."),
        Column(
            "update_authority", TEXT, "Who may change its metadata on Solana; empty for nobody and on other chains."
        ),
        Column("trust_flags", TEXT, "What holders should know, separated by commas; empty when there is nothing."),
        Column("logo_url", TEXT, "URL of its logo; empty when it has none."),
        Column("website", TEXT, "URL of its site; empty when it has none."),
        Column("as_of_block", "UInt64", "Block that every figure of the row is true of."),
        Column("as_of_time", TIME, "Time of that block, in UTC."),
    ),
)
BALANCES = Mart(
    name="balances",
    comment="What each wallet holds of each token now.",
    grain="a wallet's balance of a token",
    key=("chain", "token", "wallet"),
    internals=("agg_balance_day", "agg_token"),
    columns=(
        *CHAIN,
        *TOKEN,
        Column("wallet", TEXT, "Address of the wallet; the owner of token accounts on Solana."),
        *amount_of("What it holds", "balance"),
        Column("first_day", "Date", "First day (UTC) whose transfers changed it."),
        Column("last_day", "Date", "Last day (UTC) whose transfers changed it."),
        AS_OF_BLOCK,
    ),
)
BALANCES_DAILY = Mart(
    name="balances_daily",
    comment="What each wallet held of each token at the end of every day that changed it.",
    grain="a wallet's balance of a token on a day that changed it; it holds until the next such day",
    key=("chain", "token", "wallet", "day"),
    month_of="day",
    internals=("agg_balance_day", "agg_token"),
    columns=(
        *CHAIN,
        *TOKEN,
        Column("wallet", TEXT, "Address of the wallet; the owner of token accounts on Solana."),
        Column("day", "Date", "The day, in UTC."),
        *amount_of("What it held at the end of the day", "balance"),
        *amount_of("What the day added; negative is what it took", "change"),
        AS_OF_BLOCK,
    ),
)
MARTS = (TOKENS, BALANCES, BALANCES_DAILY)
