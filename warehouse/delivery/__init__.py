"""Delivering messages to receivers: queue, pace, attempts, retries and signatures, whatever is sent and however.

A user of the engine brings two things: a ``Queue``, which knows where its deliveries are kept, and a ``Channel``, which
knows how one is sent. Customers' webhooks (``api.webhooks``) and operators' notices (``warehouse.notices``) are such
users. Delivery is at least once, with an id that stays the same in every attempt.
"""
