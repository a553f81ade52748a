from tests.fixtures.solana_indexing import ledger, node_url
