"""Deals: offers on registrations, from the offer to the settlement."""
