-- Symbols that read alike: those with the given folded text among their forms.
SELECT DISTINCT symbol_key
FROM serve_symbol_form
WHERE form = {folded:String}
