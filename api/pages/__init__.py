"""What pages of registrations have in common: who may act for one."""
