"""Notices to operators: what is wrong with the service, recorded in the store and sent to their webhook.

The pipelines, the worker and the supervisor see different things go wrong, and all report here. The delivery engine
(``warehouse.delivery``) sends the messages.
"""
