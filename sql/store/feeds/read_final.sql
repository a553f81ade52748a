-- Through which block the buys of each chain are told: blocks that are final, indexed, and priced.
SELECT chain.chain_id, least(chain.final_block, chain.block_number, (priced.details ->> 'through')::bigint) AS block
FROM chain_checkpoint AS chain
JOIN derive_checkpoint AS priced ON priced.chain_id = chain.chain_id AND priced.subject = 'candles'
WHERE chain.final_block IS NOT NULL AND chain.block_number IS NOT NULL AND priced.details ->> 'through' IS NOT NULL
