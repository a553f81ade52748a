"""The supervisor behind ``regalia up``.

``parts`` lists the parts of the service, ``supervisor`` keeps them running, ``guard`` ensures that no process outlives
it, and ``run`` puts them together.
"""
