"""Claims: a message to sign, a proof of control, an unsigned transaction, and what became of it."""
