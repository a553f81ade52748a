-- Symbols that read like the one whose folded form is given.
SELECT DISTINCT symbol_key
FROM serve_symbol_form
WHERE form = {folded:String}
