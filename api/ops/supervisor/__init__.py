"""The supervisor behind ``regalia up``.

``parts`` says what the service is made of, ``supervisor`` keeps it running, ``guard`` sees to it that nothing outlives
it, ``run`` puts them together.
"""
