-- The newest row of every token of some symbols, published or not.
SELECT
    * EXCEPT (
        address, deployer, mint_authority, freeze_authority, update_authority, copy_of_address, registration_owner,
        registration_manager, registry_address
    ),
    lower(hex(address)) AS address_hex,
    lower(hex(deployer)) AS deployer_hex,
    lower(hex(mint_authority)) AS mint_authority_hex,
    lower(hex(freeze_authority)) AS freeze_authority_hex,
    lower(hex(update_authority)) AS update_authority_hex,
    lower(hex(copy_of_address)) AS copy_of_address_hex,
    lower(hex(registration_owner)) AS registration_owner_hex,
    lower(hex(registration_manager)) AS registration_manager_hex,
    lower(hex(registry_address)) AS registry_address_hex
FROM serve_token
WHERE symbol_key IN (SELECT unhex(arrayJoin(splitByChar(',', materialize({symbols:String})))))
ORDER BY version DESC
LIMIT 1 BY symbol_key, chain_id, address
