"""Copy a chain's configuration to the warehouse, where the marts read it: ``chain_config``."""

from warehouse import sql
from warehouse.clickhouse import Warehouse
from warehouse.domain.addresses import digits_of
from warehouse.domain.chains import Chain


def store_configuration(warehouse: Warehouse, chain: Chain) -> None:
    """Write the row of ``chain``. Done when a process begins to index it, so that a changed chains file counts from
    then on; the newest row counts, so repeating it changes nothing."""
    quotes = chain.quotes
    warehouse.command(
        sql.load("transforms/ingest/configure_chain"),
        {
            "chain_id": chain.chain_id,
            "chain": chain.key,
            "caip2": chain.caip2,
            "native_symbol": chain.native_symbol,
            "native_decimals": chain.native_decimals,
            "quotes": [digits_of(quote.address) for quote in quotes],
            "quote_decimals": [quote.decimals for quote in quotes],
            "factories": sorted({digits_of(dex.factory) for dex in chain.dexes}),
        },
    )
