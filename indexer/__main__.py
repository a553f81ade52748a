"""``python -m indexer``: index chains, deploy contracts."""

from indexer.cli import main

if __name__ == "__main__":
    main()
