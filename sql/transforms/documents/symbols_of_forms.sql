-- Symbols that fold to one of these texts (a symbol's forms include its own fold).
SELECT DISTINCT symbol_key
FROM serve_symbol_form
WHERE form IN (SELECT unhex(arrayJoin(splitByChar(',', materialize({forms:String})))))
