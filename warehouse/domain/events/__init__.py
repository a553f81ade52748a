"""Everything the service can report: one class for each type of event, grouped by subject.

An event class declares the event's type, its members with description and example, who may receive it and what makes
it unique. The catalogue of ``GET /api/v2/webhooks/events``, test events, the tables in docs/events.md and the OpenAPI
schemas are derived from the classes (:mod:`warehouse.domain.events.catalogue`).
"""
