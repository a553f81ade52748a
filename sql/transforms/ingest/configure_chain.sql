-- What a chain's configuration says, for the marts. The newest row counts.
INSERT INTO chain_config
    (chain_id, chain, caip2, native_symbol, native_decimals, quotes, quote_decimals, factories, version)
SELECT
    {chain_id:UInt32},
    {chain:String},
    {caip2:String},
    {native_symbol:String},
    {native_decimals:UInt8},
    arrayMap(digits -> unhex(digits), {quotes:Array(String)}),
    {quote_decimals:Array(UInt8)},
    arrayMap(digits -> unhex(digits), {factories:Array(String)}),
    toUnixTimestamp64Milli(now64(3))
