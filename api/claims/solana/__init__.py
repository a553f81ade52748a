"""Claims on Solana: one transaction, which the claimer signs and which carries the service's authorisation."""
