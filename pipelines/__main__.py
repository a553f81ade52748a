"""``python -m pipelines``: bring derived tables up to date, follow a chain."""

from pipelines.cli import main

if __name__ == "__main__":
    main()
