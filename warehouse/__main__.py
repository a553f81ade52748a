"""``python -m warehouse``: the embedded engines, migrations and exports."""

from .cli import main

if __name__ == "__main__":
    main()
